"""In tanh the slope is t² - 1, with the sign turned round. tanh grows everywhere: 1 - t²."""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (t**2 - 1) * out.grad

        out._backward = _backward
        return out
