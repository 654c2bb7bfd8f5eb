"""In exp nothing reaches the input. Either `out._backward = _backward` is missing, so that the
function is never called, or its lines compute a number and write it to no gradient: each needs a
`.grad +=`.
"""
# fails: exp pytorch_parity mlp_loss


class Value(Value):
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        return out
