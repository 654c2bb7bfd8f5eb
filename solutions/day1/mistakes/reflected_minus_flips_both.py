"""5 - a computes -5 - a: only the Value on the right changes its sign, the number keeps its own."""
# fails: subtract


def reflected_minus(self, other):
    return (-1) * self - other


Value.__rsub__ = reflected_minus
