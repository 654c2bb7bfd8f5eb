"""In negation the `_backward` writes gradients with `=`. That throws away what the gradient
already held, so a value that is used twice keeps one contribution. In -a + a one of two
contributions is lost. Use `+=` in every line.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad = -out.grad

        out._backward = _backward
        return out
