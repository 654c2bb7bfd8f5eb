"""a / b keeps the other operand's value beside each operand, which is the rule of ×. For the
numerator it is 1/b, for the denominator -a/b².
"""
# fails: local_grads subtract_divide agreement quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (b, a))
