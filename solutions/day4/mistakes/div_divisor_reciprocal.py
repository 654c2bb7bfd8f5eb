"""In / the divisor gets 1 / x times upstream, as the dividend gets 1 / y. The two sides of a
quotient are not alike: the divisor's local derivative is -x / y².
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad += out.grad / self.data

        out._backward = _backward
        return out
