"""In tanh the slope is 1 - t. The output has to be squared: 1 - t²."""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t) * out.grad

        out._backward = _backward
        return out
