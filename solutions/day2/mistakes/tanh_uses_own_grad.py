"""In tanh the upstream gradient is taken from the input itself (`self.grad`) instead of from the
result (`out.grad`).
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * self.grad

    out._backward = _backward
    return out


Value.tanh = tanh
