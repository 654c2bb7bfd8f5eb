"""-a returns a with its sign unchanged."""
# fails: subtract


def negative(self):
    return self * 1


Value.__neg__ = negative
