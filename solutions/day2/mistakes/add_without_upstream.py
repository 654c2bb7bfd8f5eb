"""In + each input gets 1, whatever the upstream gradient is. 1 is the local derivative of +; it
still has to be multiplied by the gradient of the result.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += 1.0
            other.grad += 1.0

        out._backward = _backward
        return out
