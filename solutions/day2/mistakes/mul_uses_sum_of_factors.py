"""In × both gradients use the sum of the two factors. The slope for one factor is the value of the
other factor alone.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += (self.data + other.data) * out.grad
            other.grad += (self.data + other.data) * out.grad

        out._backward = _backward
        return out
