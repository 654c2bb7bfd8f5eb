"""In relu the `_backward` writes gradients with `=`. That throws away what the gradient already
held, so a value that is used twice keeps one contribution. In relu(a) + a only the share of
relu is left. Use `+=` in every line.
"""
# fails: relu pytorch_parity dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad = (1.0 if self.data > 0 else 0.0) * out.grad

        out._backward = _backward
        return out
