"""In × the upstream gradient is added to the local derivative. Along a path rates multiply: one
unit in gives local units here, and each of those gives upstream units at the root.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data + out.grad
            other.grad += self.data + out.grad

        out._backward = _backward
        return out
