"""In exp the gradient is put through the exponential, `math.exp(out.grad)`. Upstream is a
factor: eˣ times `out.grad`.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += math.exp(out.grad)

        out._backward = _backward
        return out
