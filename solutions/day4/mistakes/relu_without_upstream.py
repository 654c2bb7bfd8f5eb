"""In relu the local derivative is handed on without the upstream gradient. At the root upstream
is 1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += 1.0 if self.data > 0 else 0.0

        out._backward = _backward
        return out
