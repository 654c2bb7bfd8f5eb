"""a - b computes b minus a: the operands of the subtraction are exchanged."""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(other.data - self.data, (self, other), (-1.0, 1.0))
