"""In × the other factor's value and the upstream gradient are added. The chain rule multiplies:
upstream gradient times local derivative.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data + out.grad
            other.grad += self.data + out.grad

        out._backward = _backward
        return out
