"""a / b keeps its local gradients in the wrong order: a stands beside -a/b² and b beside 1/b. The
numerator's local gradient is 1/b.
"""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (-a / b**2, 1 / b))
