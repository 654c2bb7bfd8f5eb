"""The result of × has no children. The constructor takes them as its second argument: a tuple of
`self` and `other`.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (), "*")
