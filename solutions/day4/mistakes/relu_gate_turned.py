"""relu passes the gradient where its input is negative and stops it where it is positive: the
comparison is turned round. The slope is 1 where the input is greater than 0.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if self.data < 0 else 0.0) * out.grad

        out._backward = _backward
        return out
