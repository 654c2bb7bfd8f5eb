"""In relu the upstream gradient is multiplied by the input's value, negative inputs included.
The slope is 1 for a positive input and 0 for a negative one.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += self.data * out.grad

        out._backward = _backward
        return out
