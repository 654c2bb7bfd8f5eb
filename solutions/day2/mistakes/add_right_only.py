"""In + only the right input gets a gradient; the left one is never updated. `_backward` of a sum
has two lines, one for each input.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            other.grad += out.grad

        out._backward = _backward
        return out
