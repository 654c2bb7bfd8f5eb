"""a * b keeps its two local gradients in the wrong order: each factor stands beside its own value.
The local gradient for a factor is the value of the other factor.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (self.data, other.data))
