"""In tanh the local derivative is multiplied by the input's own gradient instead of the upstream
gradient. That is 0 when the walk arrives, so nothing is handed on. Upstream is `out.grad`.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * self.grad

        out._backward = _backward
        return out
