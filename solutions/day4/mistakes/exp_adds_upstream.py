"""In exp the upstream gradient is added to the local derivative. Along a path rates multiply:
one unit in gives local units here, and each of those gives upstream units at the root.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data + out.grad

        out._backward = _backward
        return out
