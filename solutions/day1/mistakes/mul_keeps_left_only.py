"""The result of × has only its left input as a child; `other` is missing."""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self,), "*")
