"""relu keeps the negative values and gives 0 for positive ones: min(0, x) instead of max(0, x)."""
# fails: relu pytorch_parity mlp_loss


class Value(Value):
    def relu(self):
        out = Value(min(0.0, self.data), (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad

        out._backward = _backward
        return out
