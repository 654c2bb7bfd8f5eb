"""In tanh the slope is t², without the 1 minus. tanh is steepest at 0, where t² is 0: the slope
is 1 - t².
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += t**2 * out.grad

        out._backward = _backward
        return out
