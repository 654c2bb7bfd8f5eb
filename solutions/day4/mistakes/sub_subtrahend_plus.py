"""In - the value behind the minus gets the upstream gradient as it is. If it grows, the
difference falls, so its local derivative is -1: subtract `out.grad` from its gradient.
"""
# fails: subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
