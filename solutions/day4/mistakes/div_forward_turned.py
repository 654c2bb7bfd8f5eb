"""a / b computes b / a: the forward pass of / has its sides exchanged."""
# fails: divide pytorch_parity mlp_loss


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(other.data / self.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
