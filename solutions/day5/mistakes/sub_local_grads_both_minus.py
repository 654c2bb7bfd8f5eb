"""a - b keeps -1 beside both operands. The minus sign belongs to b alone; with a the difference
rises.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (-1.0, -1.0))
