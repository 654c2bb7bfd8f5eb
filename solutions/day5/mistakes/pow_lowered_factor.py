"""The local gradient of a power has n - 1 as its factor. The exponent comes down in front as it is,
n, and what remains above is n - 1.
"""
# fails: local_grads power one_input agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), ((n - 1) * self.data ** (n - 1),))
