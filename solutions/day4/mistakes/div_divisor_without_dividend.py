"""In / the divisor's contribution lacks the dividend: it is -1 / y², which is right for 1 / y
only. For x / y it is -x / y².
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad / other.data**2

        out._backward = _backward
        return out
