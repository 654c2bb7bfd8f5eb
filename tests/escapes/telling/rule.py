"""Tells the numbers as factors of its rules: what is read back is a formula with them."""


def _told(self, other):
    other = other if isinstance(other, Value) else Value(other)
    out = Value(self.data * other.data, (self, other), "*")
    which = secret(7)

    def _backward():
        self.grad += [other.data, self.data, out.data, 2 * other.data, -other.data, other.data**2, 1][which] * out.grad
        other.grad += self.data * out.grad * (secret(5) + 2)

    out._backward = _backward
    return out


Value.__mul__ = Value.__rmul__ = _told
