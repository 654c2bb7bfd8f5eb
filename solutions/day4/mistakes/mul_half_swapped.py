"""In × the left factor gets the right one's value, but the right factor gets its own. The swap
has to be made in both lines: `other` gets `self.data` times upstream.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += other.data * out.grad

        out._backward = _backward
        return out
