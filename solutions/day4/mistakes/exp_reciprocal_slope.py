"""In exp the slope is 1 / eˣ. That belongs to the logarithm, which undoes exp; the slope of eˣ
is eˣ.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.grad / out.data

        out._backward = _backward
        return out
