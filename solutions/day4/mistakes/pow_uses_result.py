"""In ** the slope is n times the result to the power of n - 1: `out.data` stands where
`self.data` belongs.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * out.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
