"""In × the other factor's gradient stands where its value belongs: gradient times gradient, which
is 0 as long as that gradient is 0. The local derivative of a product is a value (`data`), not a
gradient.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.grad * out.grad
            other.grad += self.grad * out.grad

        out._backward = _backward
        return out
