"""× returns a new Value, but changes the data of its left input as well: `self.data *= ...` stores
the result in `self`.
"""
# fails: multiply constants subtract graphs quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        self.data *= other.data
        return Value(self.data, (self, other), "*")
