"""In × the right factor's gradient has the wrong sign. The slope for one factor is the other
factor's value with the sign that it has.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad -= self.data * out.grad

        out._backward = _backward
        return out
