"""In 5 - a the Value is replaced by a new one with the opposite number, so a cannot be found from
the result. Multiply a itself by -1.
"""
# fails: subtract


def reflected_minus(self, other):
    return Value(other) + Value(-self.data)


Value.__rsub__ = reflected_minus
