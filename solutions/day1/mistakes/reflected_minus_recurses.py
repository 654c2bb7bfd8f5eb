"""5 - a never comes to an end: `other - self` is again a number minus a Value, and asks the same
function again. Build it from + and ×, as `minus` is built.
"""
# fails: subtract


def reflected_minus(self, other):
    return other - self


Value.__rsub__ = reflected_minus
