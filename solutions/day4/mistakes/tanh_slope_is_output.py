"""In tanh the output itself is taken for the slope. That is so for exp; the slope of tanh is 1 -
t².
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += t * out.grad

        out._backward = _backward
        return out
