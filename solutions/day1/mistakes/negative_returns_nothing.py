"""-a is None: `negative` computes its result and does not return it."""
# fails: subtract


def negative(self):
    result = self * -1


Value.__neg__ = negative
