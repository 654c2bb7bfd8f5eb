"""tanh is built from exponentials without the factor 2: (eˣ - 1) / (eˣ + 1) is tanh of half of
x. With e²ˣ it is right.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        out = Value((math.exp(self.data) - 1) / (math.exp(self.data) + 1), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
