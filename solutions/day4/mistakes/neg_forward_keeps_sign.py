"""-a computes a: the forward pass of the negation leaves the sign as it was."""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        out = Value(self.data, (self,), "neg")

        def _backward():
            self.grad -= out.grad

        out._backward = _backward
        return out
