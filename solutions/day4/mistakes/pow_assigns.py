"""In ** the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In a ** 3 + a only the power's
share is left. Use `+=` in every line.
"""
# fails: power pytorch_parity


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad = n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
