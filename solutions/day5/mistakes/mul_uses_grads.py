"""a * b keeps the factors' gradients in place of their values. While the forward pass runs all
gradients are 0; the local gradient for a factor is the other factor's data.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: mul_times_upstream


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.grad, self.grad))
