"""In × the right factor gets the left one's value, but the left factor gets its own. The swap
has to be made in both lines: `self` gets `other.data` times upstream.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += self.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
