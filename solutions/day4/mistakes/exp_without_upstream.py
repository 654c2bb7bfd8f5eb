"""In exp the local derivative is handed on without the upstream gradient. At the root upstream
is 1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data

        out._backward = _backward
        return out
