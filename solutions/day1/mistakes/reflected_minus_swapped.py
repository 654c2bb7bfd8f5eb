"""5 - a computes a - 5. In `reflected_minus` the Value, `self`, stands on the right, so it is the
one that is taken away. + and × do not mind the order; - does.
"""
# fails: subtract


def reflected_minus(self, other):
    return self - other


Value.__rsub__ = reflected_minus
