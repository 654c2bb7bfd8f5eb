"""In tanh nothing reaches the input. Either `out._backward = _backward` is missing, so that the
function is never called, or its lines compute a number and write it to no gradient: each needs a
`.grad +=`.
"""
# fails: predictions tanh_neuron pytorch_parity quiz


def tanh(self):
    t = math.tanh(self.data)
    out = Value(t, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    return out


Value.tanh = tanh
