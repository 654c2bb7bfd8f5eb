"""In × the local derivative is handed on without the upstream gradient. At the root upstream is
1 and nothing shows; anywhere else it is not. Multiply every contribution by `out.grad`.
"""
# fails: add_multiply backward exp tanh pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data
            other.grad += self.data

        out._backward = _backward
        return out
