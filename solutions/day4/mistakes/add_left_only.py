"""In + only the left summand gets a gradient; the right summand is forgotten and keeps what it
had. An operation with two inputs has two contributions to hand on.
"""
# fails: add_multiply backward power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out
