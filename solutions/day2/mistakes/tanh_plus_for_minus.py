"""In tanh the slope is 1 + t². It is 1 - t²: the curve is steepest at 0, where t is 0, and flat
where t is near 1 or -1.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 + t**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
