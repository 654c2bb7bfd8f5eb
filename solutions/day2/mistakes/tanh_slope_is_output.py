"""In tanh the output itself is used as the slope. The slope is 1 - t², where t is the output.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += t * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
