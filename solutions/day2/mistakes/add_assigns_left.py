"""In + the gradient of the left input is written with `=`, the right one with `+=`. `=` throws
away what the gradient already held. A value that is used twice gets two contributions, and only
the last one is left. Every line of a `_backward` should add to the gradient it writes.
"""
# fails: accumulate pytorch_parity


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad = out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
