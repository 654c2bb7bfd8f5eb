"""In / the gradient of the divisor is written with `=`, the other one with `+=`. What the
divisor had collected elsewhere is thrown away. Both lines should add.
"""
# fails: divide pytorch_parity


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad = -out.grad * self.data / other.data**2

        out._backward = _backward
        return out
