"""a - b changes the data of b: after it, b holds the opposite number. An operation leaves its
inputs as they are.
"""
# fails: subtract


def minus(self, other):
    other = other if isinstance(other, Value) else Value(other)
    other.data = -other.data
    return self + other


Value.__sub__ = minus
