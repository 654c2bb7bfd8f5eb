"""In tanh the tanh is taken once more: the slope is 1 - tanh(t)², where t is already the output.
It is 1 - t².
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - math.tanh(t) ** 2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
