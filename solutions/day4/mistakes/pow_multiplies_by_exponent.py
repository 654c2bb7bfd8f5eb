"""In ** the slope is n · x, without the power. The rule is n · xⁿ⁻¹; the two agree for squares
only, where the power is 1.
"""
# fails: power pytorch_parity


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data * out.grad

        out._backward = _backward
        return out
