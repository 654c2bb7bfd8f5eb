"""In tanh the line `out._backward = _backward()` calls the function at once, while `out.grad` is
still 0, and keeps the None that it gives back. Without the parentheses the function itself is
kept.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward()
        return out
