"""× takes the left number for both inputs: `self.data * self.data`. One of the two belongs to
`other`.
"""
# fails: multiply constants subtract graphs quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * self.data, (self, other), "*")
