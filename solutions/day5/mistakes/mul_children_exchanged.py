"""In a * b the children were turned round and the local gradients were not, so each factor stands
beside its own value.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: mul_local_grads_exchanged


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (other, self), (other.data, self.data))
