"""a / b keeps only the numerator as a child, so nothing ever arrives at the denominator."""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data / other.data, (self,), (1 / other.data,))
