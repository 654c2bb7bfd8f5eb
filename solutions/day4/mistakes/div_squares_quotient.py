"""In / the divisor's contribution is minus the square of the whole quotient, -(x / y)². Only the
divisor is squared: -x / y².
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * (self.data / other.data) ** 2

        out._backward = _backward
        return out
