"""In - the gradient of the value behind the minus is written with `=`, the other one with `+=`.
What the value behind the minus had collected elsewhere is thrown away. Both lines should add.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad = -out.grad

        out._backward = _backward
        return out
