"""In - nothing reaches either value. Either `out._backward = _backward` is missing, or both
lines of the `_backward` write to the same value, where upstream and minus upstream make 0.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad -= out.grad

        return out
