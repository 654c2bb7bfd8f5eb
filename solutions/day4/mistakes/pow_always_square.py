"""In ** the slope is 2 · x for every exponent. That is the rule for squares; in general it is n
· xⁿ⁻¹.
"""
# fails: power pytorch_parity


class Value(Value):
    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += 2 * self.data * out.grad

        out._backward = _backward
        return out
