"""In exp the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In exp(a) + a only the share of
exp is left. Use `+=` in every line.
"""
# fails: exp pytorch_parity


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad = out.data * out.grad

        out._backward = _backward
        return out
