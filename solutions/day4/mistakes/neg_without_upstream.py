"""In negation the local derivative is handed on without the upstream gradient. At the root
upstream is 1 and nothing shows; anywhere else it is not. Multiply every contribution by
`out.grad`.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad -= 1.0

        out._backward = _backward
        return out
