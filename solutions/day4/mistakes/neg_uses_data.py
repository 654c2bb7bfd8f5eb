"""Negation hands on minus the input's value times upstream. Its local derivative is -1, whatever
the value is.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad -= self.data * out.grad

        out._backward = _backward
        return out
