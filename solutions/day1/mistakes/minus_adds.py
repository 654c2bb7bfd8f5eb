"""a - b computes a + b: the factor -1 is missing."""
# fails: subtract


def minus(self, other):
    return self + other


Value.__sub__ = minus
