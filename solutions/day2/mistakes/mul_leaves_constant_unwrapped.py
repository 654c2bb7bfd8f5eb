"""In × a plain number on the right is not turned into a Value first, so it has no `.data` and no
`.grad`. The line that wraps it belongs before anything else in the method.
"""
# fails: swap_rule predictions tanh_neuron visit_order pytorch_parity quiz

class Value(Value):
    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
