"""The local gradient of a power lacks the exponent as a factor: the slope of a**n is n times a to
the power of n - 1.
"""
# fails: local_grads power one_input agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), (self.data ** (n - 1),))
