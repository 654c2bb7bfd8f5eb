"""× computes the sum instead of the product."""
# fails: multiply constants subtract graphs quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "*")
