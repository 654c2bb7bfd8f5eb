"""exp computes 2ˣ. It is the power of e, about 2.718: `math.exp(x)`."""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(2**self.data, (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
