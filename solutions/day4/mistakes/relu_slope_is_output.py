"""In relu the upstream gradient is multiplied by the output instead of by the slope. An open
relu passes its input on one for one: its slope is 1, however large the value.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
