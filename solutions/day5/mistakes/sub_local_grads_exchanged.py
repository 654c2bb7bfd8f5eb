"""a - b keeps its local gradients in the wrong order: -1 stands beside a and 1 beside b. It is b
that is subtracted.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (-1.0, 1.0))
