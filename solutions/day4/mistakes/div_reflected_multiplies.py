"""`3 / a` gives `3 * a`: `__rtruediv__` multiplies where it should divide. Turn the number into
a Value and divide it by self, or multiply it by self ** -1.
"""
# fails: divide pytorch_parity


class Value(Value):
    def __rtruediv__(self, other):
        return self * other
