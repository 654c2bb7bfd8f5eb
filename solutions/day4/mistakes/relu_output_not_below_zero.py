"""In relu the slope asks `out.data >= 0`, which is always so: the output is never negative. A
closed relu then hands everything on. Ask for greater than 0.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if out.data >= 0 else 0.0) * out.grad

        out._backward = _backward
        return out
