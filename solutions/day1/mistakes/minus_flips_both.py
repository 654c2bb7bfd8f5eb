"""a - b computes -a - b: the factor -1 stands before the whole sum. Only what is taken away changes
its sign.
"""
# fails: subtract


def minus(self, other):
    return (-1) * (self + other)


Value.__sub__ = minus
