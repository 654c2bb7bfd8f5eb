"""In - the signs of the two contributions are exchanged: the difference grows with the value in
front of the minus and falls with the one behind it, not the other way round.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad -= out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
