"""-a changes a itself: afterwards a holds the opposite number. An operation leaves its input as it
is and makes a new Value.
"""
# fails: subtract


def negative(self):
    self.data = -self.data
    return self


Value.__neg__ = negative
