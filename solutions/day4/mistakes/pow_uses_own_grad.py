"""In ** the local derivative is multiplied by the input's own gradient instead of the upstream
gradient. That is 0 when the walk arrives, so nothing is handed on. Upstream is `out.grad`.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * self.grad

        out._backward = _backward
        return out
