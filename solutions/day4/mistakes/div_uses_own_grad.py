"""In / the local derivative is multiplied by the input's own gradient instead of the upstream
gradient. That is 0 when the walk arrives, so nothing is handed on. Upstream is `out.grad`.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += self.grad / other.data
            other.grad -= other.grad * self.data / other.data**2

        out._backward = _backward
        return out
