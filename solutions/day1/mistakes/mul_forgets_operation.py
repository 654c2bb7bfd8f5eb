"""The result of × does not remember its operation. The constructor takes it as its third argument,
the text `"*"`.
"""
# fails: multiply constants subtract graphs


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other))
