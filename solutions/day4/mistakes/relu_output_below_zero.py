"""In relu the slope asks `out.data < 0`, which never happens: nothing is ever handed on. Where
the output is greater than 0 the slope is 1.
"""
# fails: relu pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz
# same_as: relu_forgets_closure


class Value(Value):
    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (1.0 if out.data < 0 else 0.0) * out.grad

        out._backward = _backward
        return out
