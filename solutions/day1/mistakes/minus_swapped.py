"""a - b computes b - a. In `minus`, `self` stands on the left and `other` is what is taken away, so
`other` is the one that is multiplied by -1.
"""
# fails: subtract


def minus(self, other):
    return other + (-1) * self


Value.__sub__ = minus
