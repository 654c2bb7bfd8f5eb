"""In / the divisor's contribution is divided by the divisor once. The local derivative is -x /
y², with the divisor squared: -x / y is minus the quotient itself.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data

        out._backward = _backward
        return out
