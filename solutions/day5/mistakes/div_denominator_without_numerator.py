"""In a / b the denominator's local gradient is -1/b², without the numerator. The slope of 1/b is
multiplied by a: -a/b².
"""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1 / b, -1 / b**2))
