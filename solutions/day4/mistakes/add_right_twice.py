"""In + both lines of the `_backward` write to `other`: the right summand gets both
contributions, the left summand none. The first line belongs to `self`.
"""
# fails: add_multiply backward power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            other.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
