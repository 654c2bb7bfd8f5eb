"""The slope of exp is taken from the input: `self.data` times upstream. The slope of eˣ is eˣ,
and that is `out.data`.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += self.data * out.grad

        out._backward = _backward
        return out
