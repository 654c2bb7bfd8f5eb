"""In exp the local derivative is multiplied by the input's own gradient instead of the upstream
gradient. That is 0 when the walk arrives, so nothing is handed on. Upstream is `out.grad`.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * self.grad

        out._backward = _backward
        return out
