"""In a / b the numerator's local gradient is 1. If a grows by 1 the quotient grows by 1/b."""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1.0, -a / b**2))
