"""In / the `_backward` is written but never kept: `out._backward = _backward` is missing. The
result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        return out
