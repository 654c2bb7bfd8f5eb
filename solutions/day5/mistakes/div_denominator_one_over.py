"""a / b keeps one over the other operand beside each operand. That is right for the numerator; for
the denominator it is -a/b².
"""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1 / b, 1 / a if a else 0.0))
