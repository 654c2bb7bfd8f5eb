"""In × the closure is stored on the input (`self._backward`) instead of on the result. The
result's own `_backward` then does nothing, and the input's is replaced.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        self._backward = _backward
        return out
