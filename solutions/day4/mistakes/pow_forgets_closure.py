"""In ** the `_backward` is written but never kept: `out._backward = _backward` is missing. The
result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        return out
