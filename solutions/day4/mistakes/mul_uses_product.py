"""In × both factors are multiplied by the product, `out.data`. The local derivative for one
factor is the other factor alone.
"""
# fails: add_multiply backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += out.data * out.grad
            other.grad += out.data * out.grad

        out._backward = _backward
        return out
