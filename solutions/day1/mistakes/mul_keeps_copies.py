"""The children of the result of × are new Values with the same numbers. They are other objects than
the inputs, and have no children themselves, so the graph ends there.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (Value(self.data), Value(other.data)), "*")
