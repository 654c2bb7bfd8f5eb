"""5 - a is -a: the number on the left is left out."""
# fails: subtract


def reflected_minus(self, other):
    return (-1) * self


Value.__rsub__ = reflected_minus
