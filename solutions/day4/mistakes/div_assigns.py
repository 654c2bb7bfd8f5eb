"""In / the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In a / a the divisor's share
overwrites the dividend's. Use `+=` in every line.
"""
# fails: divide pytorch_parity mlp_loss


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad = out.grad / other.data
            other.grad = -out.grad * self.data / other.data**2

        out._backward = _backward
        return out
