"""In / both lines of the `_backward` write to `self`: the dividend gets both contributions, the
divisor none. The second line belongs to `other`.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            self.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
