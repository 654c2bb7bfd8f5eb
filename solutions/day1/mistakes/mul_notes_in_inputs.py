"""× notes children and operation in its left input instead of in the result: a leaf then looks as
if it had been computed. They belong to the new Value.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data)
        self._prev, self._op = (self, other), "*"
        return out
