"""In / the divisor gets the same as the dividend, 1 / y times upstream. Its own local derivative
is -x / y².
"""
# fails: divide pytorch_parity mlp_loss quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad += out.grad / other.data

        out._backward = _backward
        return out
