"""In tanh the slope is 1 - t without the square. It is 1 - t²."""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
