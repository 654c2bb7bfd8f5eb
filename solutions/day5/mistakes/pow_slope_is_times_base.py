"""The local gradient of a power is n times a. The base stays under its power: n times a to the
power of n - 1.
"""
# fails: local_grads power agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), (n * self.data,))
