"""The result of tanh does not know what it was made from: its `_prev` is empty, so build_topo
stops there and nothing below it is called. Day 2 did not need `_prev`; hand the input to the new
Value as its child.
"""
# fails: pytorch_parity


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t)

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out
