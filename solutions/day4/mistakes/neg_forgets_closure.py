"""In negation nothing reaches the input. Either `out._backward = _backward` is missing, so that
the function is never called, or its lines compute a number and write it to no gradient: each
needs a `.grad +=`.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad -= out.grad

        return out
