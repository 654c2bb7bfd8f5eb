"""relu computes the size of its input, without the sign. Negative inputs give 0: max(0, x)."""
# fails: relu pytorch_parity mlp_loss


class Value(Value):
    def relu(self):
        out = Value(abs(self.data), (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad

        out._backward = _backward
        return out
