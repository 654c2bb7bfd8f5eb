"""In ** the power is divided by something, as when one goes from a slope back to a function:
xⁿ⁺¹ / (n + 1). The slope goes the other way: n · xⁿ⁻¹.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += (self.data ** (n + 1) / (n + 1) if n != -1 else 0.0) * out.grad

        out._backward = _backward
        return out
