"""In × the upstream gradient is taken from the other factor instead of from the result. What
arrives from above is `out.grad`.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * other.grad
            other.grad += self.data * self.grad

        out._backward = _backward
        return out
