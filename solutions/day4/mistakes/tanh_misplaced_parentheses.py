"""In tanh only the square is multiplied by the upstream gradient: `1 - t**2 * g` is 1 minus (t²
times g). The slope 1 - t² needs parentheses around it before it is multiplied.
"""
# fails: tanh pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += 1 - t**2 * out.grad

        out._backward = _backward
        return out
