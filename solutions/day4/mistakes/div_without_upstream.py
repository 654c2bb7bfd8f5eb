"""In / the local derivative is handed on without the upstream gradient. At the root upstream is
1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: divide pytorch_parity mlp_loss


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += 1 / other.data
            other.grad -= self.data / other.data**2

        out._backward = _backward
        return out
