"""In a / b the denominator's local gradient lacks its minus sign: if b grows, a positive quotient
falls. It is -a/b².
"""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1 / b, a / b**2))
