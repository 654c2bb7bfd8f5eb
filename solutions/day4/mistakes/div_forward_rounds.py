"""a / b is rounded down, as `//` does: 5 / 4 is 1.25, and 5 // 4 is 1."""
# fails: divide pytorch_parity mlp_loss


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data // other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
