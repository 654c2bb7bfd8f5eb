"""In ** the contribution has a minus. The slope of xⁿ is n · xⁿ⁻¹; for a negative exponent n
brings its own sign.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad -= n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
