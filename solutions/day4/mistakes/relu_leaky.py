"""relu hands on a little of the gradient where its input is negative, as a leaky relu does. This
one is 0 there, flat, and its slope is exactly 0.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.01) * out.grad

        out._backward = _backward
        return out
