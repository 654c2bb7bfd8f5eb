"""a * b keeps 1 beside both factors, which is the rule of +. If a grows by 1, the product grows by
b.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (1.0, 1.0))
