"""In ** `x ** n - 1` is the power minus 1, since ** binds tighter than -. The exponent needs
parentheses: x ** (n - 1).
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * (self.data**n - 1) * out.grad

        out._backward = _backward
        return out
