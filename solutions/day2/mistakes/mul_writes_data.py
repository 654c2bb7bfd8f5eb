"""In × the gradient is written into `data`: the backward pass changes the values themselves and
leaves every gradient at 0. The left side of each line should be a `.grad`.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.data += other.data * out.grad
            other.data += self.data * out.grad

        out._backward = _backward
        return out
