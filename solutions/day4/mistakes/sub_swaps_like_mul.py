"""- has got the rule of ×: each value gets the other one's value times upstream. The local
derivatives of a difference are 1 and -1, whatever the values are.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += other.data * out.grad
            other.grad -= self.data * out.grad

        out._backward = _backward
        return out
