"""In + nothing reaches either input. Either `out._backward = _backward` is missing, so that the
function is never called, or its lines compute a number and write it to no gradient: each needs a
`.grad +=`.
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
