"""In ** the factor in front has lost the exponent's sign: for a negative exponent the slope of
xⁿ falls, and n · xⁿ⁻¹ says so if n keeps its minus.
"""
# fails: power pytorch_parity


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += abs(n) * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out
