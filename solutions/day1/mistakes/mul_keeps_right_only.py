"""The result of × has only its right input as a child; `self` is missing."""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (other,), "*")
