"""In ** the local derivative is handed on without the upstream gradient. At the root upstream is
1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: power pytorch_parity dead_relu zero_grad chain_products quiz


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1)

        out._backward = _backward
        return out
