"""exp hands the upstream gradient on as it is, as if its slope were 1. The slope of eˣ is eˣ,
which is 1 at x = 0 only.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
