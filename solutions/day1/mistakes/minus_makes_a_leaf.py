"""a - b returns a new Value without children: neither a nor b can be found from it. Use + and × on
the Values themselves.
"""
# fails: subtract


def minus(self, other):
    return Value(self.data - (other.data if isinstance(other, Value) else other))


Value.__sub__ = minus
