"""a ** n computes a · n: the forward pass multiplies by the exponent. 2 ** 3 is 8, not 6."""
# fails: power pytorch_parity mlp_loss gradient_descent


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data * n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
