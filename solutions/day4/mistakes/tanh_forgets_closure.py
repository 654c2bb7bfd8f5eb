"""In tanh nothing reaches the input. Either `out._backward = _backward` is missing, so that the
function is never called, or its lines compute a number and write it to no gradient: each needs a
`.grad +=`.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        return out
