"""In tanh the slope is t² without the `1 -` in front of it."""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += t**2 * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
