"""a - 1 fails: `minus` asks what stands on the right for something that a plain number does not
have. A line that needs a Value there has to make one first; + and × take a number as it is.
"""
# fails: subtract


def minus(self, other):
    opposite = other * -1
    opposite.label = "-" + other.label
    return self + opposite


Value.__sub__ = minus
