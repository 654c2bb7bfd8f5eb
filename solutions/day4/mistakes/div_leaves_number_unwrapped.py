"""`a / 3` with a plain number raises AttributeError: a number has no `data`. Turn `other` into a
Value first, unless it is one already.
"""
# fails: divide


class Value(Value):
    def __truediv__(self, other):
        out = Value(self.data / other.data, (self, other), "/")

        def _backward():
            self.grad += out.grad / other.data
            other.grad -= out.grad * self.data / other.data**2

        out._backward = _backward
        return out
