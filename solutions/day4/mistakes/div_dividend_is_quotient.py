"""In / the dividend gets the quotient x / y times upstream. The quotient is linear in x, and its
slope is 1 / y, without x.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.data * out.grad
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
