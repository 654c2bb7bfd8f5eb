"""In tanh the gradient is written into `data`: the backward pass changes the value itself. The
left side of the line should be `self.grad`.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.data += (1 - t**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
