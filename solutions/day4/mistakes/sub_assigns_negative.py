"""In - the second line says `=-` where `-=` is meant: `other.grad =- out.grad` assigns minus
upstream and does not add it. The characters are the same, their order is not.
"""
# fails: subtract pytorch_parity
# same_as: sub_assigns_right


class Value(Value):
    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data - other.data, (self, other), "-")

        def _backward():
            self.grad += out.grad
            other.grad = -out.grad

        out._backward = _backward
        return out
