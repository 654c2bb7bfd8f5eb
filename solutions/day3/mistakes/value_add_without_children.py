"""The result of + does not know what it was made from: its `_prev` is empty, so build_topo stops
there and nothing below it is called. Day 2 did not need `_prev`; hand the two inputs to the new
Value as its children.
"""
# fails: shared_nodes accumulates pytorch_parity


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data)

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    __radd__ = __add__
