"""+ computes the product instead of the sum."""
# fails: add constants subtract graphs quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "+")
