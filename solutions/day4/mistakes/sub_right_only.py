"""In - only the value behind the minus gets a gradient; the value in front of the minus is
forgotten and keeps what it had. An operation with two inputs has two contributions to hand
on.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            other.grad -= out.grad

        out._backward = _backward
        return out
