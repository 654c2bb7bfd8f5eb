"""In - both values get the upstream gradient with a minus. The difference grows with the value
in front, so that one gets it with a plus.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad -= out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
