"""In + a plain number on the right is not turned into a Value first, so it has no `.data` and no
`.grad`. The line that wraps it belongs before anything else in the method.
"""
# fails: add_rule visit_order pytorch_parity


class Value(Value):
    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
