"""tanh computes the sigmoid function, 1 / (1 + e⁻ˣ), which lies between 0 and 1. tanh lies
between -1 and 1: `math.tanh(x)`.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        out = Value(1 / (1 + math.exp(-self.data)), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
