"""+ has got the rule of ×: each summand gets the other one's value times upstream. For a sum
both local derivatives are 1, so both summands get the upstream gradient as it is.
"""
# fails: add_multiply backward power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
