"""In ** the factor n is missing: xⁿ⁻¹ instead of n · xⁿ⁻¹. For a ** 3 at 2 that is 4 where 12 is
right.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
