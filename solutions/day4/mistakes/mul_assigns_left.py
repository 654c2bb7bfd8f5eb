"""In × the gradient of the left factor is written with `=`, the other one with `+=`. What the
left factor had collected elsewhere is thrown away. Both lines should add.
"""
# fails: add_multiply backward pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad = other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
