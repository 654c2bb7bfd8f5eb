"""Negation hands the upstream gradient on as it is. If a grows, -a falls, so the local
derivative is -1.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-self.data, (self,), "neg")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
