"""In tanh the slope has the wrong sign: t² - 1 instead of 1 - t². tanh rises everywhere, so its
slope is never negative.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (t**2 - 1) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
