"""-a is always negative here: the forward pass takes minus the size of the value. The negation
of a negative number is positive.
"""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(-abs(self.data), (self,), "neg")

        def _backward():
            self.grad -= out.grad

        out._backward = _backward
        return out
