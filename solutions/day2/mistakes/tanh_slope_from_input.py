"""In tanh the slope is computed from the input, 1 - x², instead of from the output, 1 - tanh(x)².
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - self.data**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
