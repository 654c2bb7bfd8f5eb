"""In ** the slope is that of an exponential, xⁿ · ln x, in which the exponent moves. Here the
base moves and the exponent is constant: n · xⁿ⁻¹.
"""
# fails: power pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += self.data**n * math.log(abs(self.data)) * out.grad

        out._backward = _backward
        return out
