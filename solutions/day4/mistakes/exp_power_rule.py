"""exp has got the rule of a power, x · eˣ⁻¹. In eˣ the exponent moves and not the base; the
slope is eˣ.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += self.data * math.exp(self.data - 1) * out.grad

        out._backward = _backward
        return out
