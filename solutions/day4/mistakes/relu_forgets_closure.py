"""In relu nothing reaches the input, even if it is positive. Either `out._backward = _backward`
is missing, or the slope asks for something that is never so, such as `out.data < 0`: the
output of relu is never negative.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data > 0 else 0.0) * out.grad

        return out
