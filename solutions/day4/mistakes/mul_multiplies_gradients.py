"""In × the other factor's gradient stands where its value belongs: `other.grad * out.grad`. The
local derivative of a product is `other.data`.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.grad * out.grad
            other.grad += self.grad * out.grad

        out._backward = _backward
        return out
