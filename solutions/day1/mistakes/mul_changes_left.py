"""× changes the data of its left input and returns that, instead of making a new Value. After a *
b, a would be another number than before.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        self.data *= other.data
        return self
