"""In × the upstream gradient is taken from the input itself instead of from the result. What
arrives from above is `out.grad`; an input's own gradient is what is being computed, and it is 0
at first.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * self.grad
            other.grad += self.data * other.grad

        out._backward = _backward
        return out
