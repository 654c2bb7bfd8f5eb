"""The children of the result of × are the two numbers. They should be the two Values, `self` and
`other`; from a number nothing further can be found.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self.data, other.data), "*")
