"""In + both gradients have the wrong sign. A sum grows when an input grows, so its local
derivative is +1 for both.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad -= out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
