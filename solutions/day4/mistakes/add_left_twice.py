"""In + both lines of the `_backward` write to `self`: the left summand gets both contributions,
the right summand none. The second line belongs to `other`.
"""
# fails: add_multiply backward power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            self.grad += out.grad

        out._backward = _backward
        return out
