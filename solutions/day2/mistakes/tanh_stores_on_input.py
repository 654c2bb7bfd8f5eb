"""In tanh the closure is stored on the input (`self._backward`) instead of on the result, whose
own `_backward` then does nothing.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    self._backward = _backward
    return out


Value.tanh = tanh
