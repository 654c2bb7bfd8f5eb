"""a - b keeps only a as a child, so nothing ever arrives at b."""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self,), (1.0,))
