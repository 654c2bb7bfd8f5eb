"""In + the `_backward` is written but never kept: `out._backward = _backward` is missing. The
result then hands nothing on, as if it were a leaf, and its inputs stay at 0.
"""
# fails: add_multiply backward power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        return out
