"""In tanh the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In tanh(a) + a only the share of
tanh is left. Use `+=` in every line.
"""
# fails: tanh pytorch_parity dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad = (1 - t**2) * out.grad

        out._backward = _backward
        return out
