"""In exp the contribution has a minus. eˣ grows everywhere: its slope is eˣ and never negative."""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad -= out.data * out.grad

        out._backward = _backward
        return out
