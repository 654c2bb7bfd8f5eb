"""In × the right factor is updated twice and the left one never: one of the two lines names the
wrong factor on its left side.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            other.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
