"""The value of tanh is not the hyperbolic tangent: another function of the math module stands in
the forward line.
"""
# fails: predictions tanh_neuron pytorch_parity quiz

def tanh(self):
    t = math.sin(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
