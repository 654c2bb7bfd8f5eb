"""5 - a computes 5 + a: the factor -1 is missing."""
# fails: subtract


def reflected_minus(self, other):
    return other + self


Value.__rsub__ = reflected_minus
