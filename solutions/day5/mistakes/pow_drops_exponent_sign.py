"""The local gradient of a power takes the size of the exponent without its sign. With a negative
exponent the power falls where the base grows, so the factor n stays negative.
"""
# fails: local_grads power agreement


class Value(Value):
    def __pow__(self, exponent):
        n = exponent
        return Value(self.data**n, (self,), (abs(n) * self.data ** (n - 1),))
