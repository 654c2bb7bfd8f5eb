"""In ** the factor in front is lowered as well: (n - 1) · xⁿ⁻¹ instead of n · xⁿ⁻¹. Only the
exponent above goes down by one.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += (n - 1) * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
