"""In + the local derivative 1 is added to the upstream gradient. The chain rule multiplies:
upstream gradient times local derivative, and times 1 changes nothing.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += 1.0 + out.grad
            other.grad += 1.0 + out.grad

        out._backward = _backward
        return out
