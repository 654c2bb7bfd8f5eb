"""In exp the exponential is taken twice: the slope uses `math.exp(out.data)`. `out.data` is eˣ
already, and that is the slope.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += math.exp(out.data) * out.grad

        out._backward = _backward
        return out
