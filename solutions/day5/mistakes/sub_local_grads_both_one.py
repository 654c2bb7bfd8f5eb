"""a - b keeps 1 beside both operands, as a sum would. If b grows by 1 the difference falls by 1, so
b's local gradient is -1.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (1.0, 1.0))
