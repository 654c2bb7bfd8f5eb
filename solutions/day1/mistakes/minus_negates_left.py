"""a - b computes b - a and then some: the sign of the left side is turned instead of the right one,
-a + b. Multiply `other` by -1.
"""
# fails: subtract
# same_as: minus_swapped


def minus(self, other):
    return (-1) * self + other


Value.__sub__ = minus
