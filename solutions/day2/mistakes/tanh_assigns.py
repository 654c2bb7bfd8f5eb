"""In tanh the gradient is written with `=`. `=` throws away what the gradient already held. A
value that is used twice gets two contributions, and only the last one is left. Every line of a
`_backward` should add to the gradient it writes.
"""
# fails: tanh_neuron


def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad = (1 - t**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
