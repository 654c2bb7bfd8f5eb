"""The result of + has only its left input as a child; `other` is missing."""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self,), "+")
