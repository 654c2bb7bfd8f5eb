"""In tanh the `_backward` function is written but never stored in the result, so calling it later
does nothing. It has to be kept in `out._backward`.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    return out


Value.tanh = tanh
