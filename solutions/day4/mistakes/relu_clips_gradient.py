"""In relu negative gradients are cut off, as its forward pass cuts off negative values. Where
the input is positive the upstream gradient passes with its sign; `max(0, out.grad)` belongs
nowhere here.
"""
# fails: relu pytorch_parity mlp_loss


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += max(0.0, out.grad) if self.data > 0 else 0.0

        out._backward = _backward
        return out
