"""5 - a returns a plain number. Work with the Value, not with its data."""
# fails: subtract


def reflected_minus(self, other):
    return other - self.data


Value.__rsub__ = reflected_minus
