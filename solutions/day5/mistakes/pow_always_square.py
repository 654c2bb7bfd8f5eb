"""The local gradient of a power is 2·a whatever the exponent. That is right for squares only; it is
n times a to the power of n - 1.
"""
# fails: local_grads power agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), (2 * self.data,))
