"""In negation the `_backward` is written but never kept: `out._backward = _backward` is missing.
The result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad -= out.grad

        return out
