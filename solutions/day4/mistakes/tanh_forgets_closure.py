"""In tanh the `_backward` is written but never kept: `out._backward = _backward` is missing. The
result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        return out
