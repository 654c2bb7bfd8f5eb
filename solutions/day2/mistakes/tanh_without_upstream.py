"""In tanh the local derivative is not multiplied by the upstream gradient. It looks right only
where tanh is the last operation, for there the upstream gradient is 1.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += 1 - t**2

    out._backward = _backward
    return out


Value.tanh = tanh
