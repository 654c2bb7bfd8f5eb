"""-a returns a plain number. Multiply the Value by -1; its data alone is not in the graph."""
# fails: subtract


def negative(self):
    return -self.data


Value.__neg__ = negative
