"""In × both inputs were given the left factor's value. The swap is only half done: the left
factor's gradient takes the right value, the right factor's gradient takes the left value.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += self.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
