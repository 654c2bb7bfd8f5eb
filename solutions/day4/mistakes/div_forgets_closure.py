"""In / nothing reaches either value. Either `out._backward = _backward` is missing, so that the
function is never called, or its lines compute a number and write it to no gradient: each needs a
`.grad +=`.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        return out
