"""-a computes a - 1. The minus before a means times -1, not one less."""
# fails: subtract


def negative(self):
    return self + (-1)


Value.__neg__ = negative
