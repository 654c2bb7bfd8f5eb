"""In tanh the closure is called where it should be stored: `_backward()` with parentheses runs it
at once, while the gradient above is still 0, and keeps its result, which is None.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    out._backward = _backward()
    return out


Value.tanh = tanh
