"""In a - b the right side is replaced by a new Value with the opposite number, so b cannot be found
from the result. Multiply b itself by -1.
"""
# fails: subtract


def minus(self, other):
    return self + Value(-(other.data if isinstance(other, Value) else other))


Value.__sub__ = minus
