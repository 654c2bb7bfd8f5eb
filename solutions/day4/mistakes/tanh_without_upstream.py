"""In tanh the local derivative is handed on without the upstream gradient. At the root upstream
is 1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += 1 - t**2

        out._backward = _backward
        return out
