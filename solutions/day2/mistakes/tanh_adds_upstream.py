"""In tanh the upstream gradient is added to the slope. The chain rule multiplies."""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) + out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
