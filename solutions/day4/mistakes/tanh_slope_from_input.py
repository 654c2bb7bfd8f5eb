"""The slope of tanh is taken from the input: 1 - x². It is 1 minus the square of the output, 1 -
t².
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - self.data**2) * out.grad

        out._backward = _backward
        return out
