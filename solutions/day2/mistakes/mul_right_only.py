"""In × only the right factor gets a gradient; the left one is never updated. `_backward` of a
product has two lines, one for each factor.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
