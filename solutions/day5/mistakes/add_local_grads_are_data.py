"""a + b keeps each summand's own value as its local gradient. If a summand grows by 1 the sum grows
by 1, however large the summand is, so both local gradients are 1.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (self.data, other.data))
