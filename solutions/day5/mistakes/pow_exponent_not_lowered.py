"""The local gradient of a power is n * a**n, but the exponent goes down by one: n times a to the
power of n - 1.
"""
# fails: local_grads power one_input agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), (n * self.data**n,))
