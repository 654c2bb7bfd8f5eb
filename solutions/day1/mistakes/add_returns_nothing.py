"""+ computes its result and does not return it: a method without `return` gives None."""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
