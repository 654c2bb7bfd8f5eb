"""In tanh the upstream gradient is handed on unchanged. The local derivative, 1 - tanh², is
missing.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
