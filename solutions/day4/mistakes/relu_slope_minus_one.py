"""In relu a closed unit hands the gradient on with a minus, as the absolute value does. relu is
flat there: its slope is 0.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else -1.0) * out.grad

        out._backward = _backward
        return out
