"""`3 - a` gives `a - 3`: `__rsub__` computes self - other, but in it `other` is the number that
stands on the left. The value and the gradient both have the wrong sign. It should be
Value(other) - self.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __rsub__(self, other):
        return self - other
