"""In exp the `_backward` is written but never kept: `out._backward = _backward` is missing. The
result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        return out
