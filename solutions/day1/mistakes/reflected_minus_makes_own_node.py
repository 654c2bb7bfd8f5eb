"""5 - a makes a node of its own, with `"-"` as its operation. Build it from + and ×, as `minus` is
built: then it needs no rule of its own for the way back.
"""
# fails: subtract


def reflected_minus(self, other):
    other = other if isinstance(other, Value) else Value(other)
    return Value(other.data - self.data, (other, self), "-")


Value.__rsub__ = reflected_minus
