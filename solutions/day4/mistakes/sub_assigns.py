"""In - the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In a - a the -1 overwrites the 1,
and -1 is left where 0 is right. Use `+=` in every line.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad = out.grad
            other.grad = -out.grad

        out._backward = _backward
        return out
