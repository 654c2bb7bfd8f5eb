"""a + b keeps 0 beside both summands. It is a constant whose slope is 0; a summand that grows by 1
takes the sum with it, so both local gradients are 1.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (0.0, 0.0))
