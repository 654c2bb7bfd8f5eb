"""In / only the divisor gets a gradient; the dividend is forgotten and keeps what it had. An
operation with two inputs has two contributions to hand on.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
