"""In relu the local derivative is multiplied by the input's own gradient instead of the upstream
gradient. That is 0 when the walk arrives, so nothing is handed on. Upstream is `out.grad`.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * self.grad

        out._backward = _backward
        return out
