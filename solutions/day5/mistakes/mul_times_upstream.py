"""The local gradients of a * b are multiplied by a gradient of the product when the node is made.
At that time every gradient is still 0, so 0 is what is kept. The upstream gradient comes in the
loop of backward, and only there.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        out._local_grads = (other.data * out.grad, self.data * out.grad)
        return out
