"""In tanh the whole slope is squared: (1 - t)² or (1 - t²)² instead of 1 - t²."""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) ** 2 * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
