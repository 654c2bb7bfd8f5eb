"""-a returns a new Value without children, so a cannot be found from it. Multiply a itself by -1."""
# fails: subtract


def negative(self):
    return Value(-self.data)


Value.__neg__ = negative
