"""In tanh the upstream gradient is added to the local derivative. Along a path rates multiply:
one unit in gives local units here, and each of those gives upstream units at the root.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) + out.grad

        out._backward = _backward
        return out
