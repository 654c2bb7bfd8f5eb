"""a * b keeps the size of the other factor without its sign. A negative factor makes the product
fall when the other one grows.
"""
# fails: local_grads backward add_multiply subtract_divide one_input relu_sum meaning agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (abs(other.data), abs(self.data)))
