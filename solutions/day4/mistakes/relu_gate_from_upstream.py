"""relu opens or closes by the sign of the upstream gradient. It depends on the input alone: a
negative upstream gradient passes through an open relu as it is.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if out.grad > 0 else 0.0) * out.grad

        out._backward = _backward
        return out
