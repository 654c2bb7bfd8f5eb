"""In tanh the slope is t · (1 - t), which belongs to the sigmoid function. The slope of tanh is
1 - t².
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += t * (1 - t) * out.grad

        out._backward = _backward
        return out
