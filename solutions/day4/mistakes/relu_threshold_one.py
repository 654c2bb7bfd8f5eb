"""relu opens at 1 instead of at 0: an input between 0 and 1 passes forward, but its gradient is
stopped. The slope is 1 for every input greater than 0.
"""
# fails: relu pytorch_parity mlp_loss


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 1 else 0.0) * out.grad

        out._backward = _backward
        return out
