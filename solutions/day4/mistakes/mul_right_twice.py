"""In × both lines of the `_backward` write to `other`: the right factor gets both contributions,
the left factor none. The first line belongs to `self`.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            other.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
