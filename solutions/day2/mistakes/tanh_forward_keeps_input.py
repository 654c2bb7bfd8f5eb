"""The value of x.tanh() is x itself: the forward line keeps the input instead of t."""
# fails: tanh_neuron pytorch_parity


def tanh(self):
    t = math.tanh(self.data)
    out = Value(self.data, (self,), "tanh")

    def _backward():
        self.grad += (1 - t**2) * out.grad

    out._backward = _backward
    return out


Value.tanh = tanh
