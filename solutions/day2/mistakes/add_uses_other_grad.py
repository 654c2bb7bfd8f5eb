"""In + each input's gradient is built from the other input's gradient instead of the result's.
What arrives from above is `out.grad`.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += other.grad
            other.grad += self.grad

        out._backward = _backward
        return out
