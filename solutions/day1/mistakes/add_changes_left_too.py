"""+ returns a new Value, but changes the data of its left input as well: `self.data += ...` stores
the result in `self`.
"""
# fails: add constants subtract graphs


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        self.data += other.data
        return Value(self.data, (self, other), "+")
