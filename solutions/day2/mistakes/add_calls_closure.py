"""In + the closure is called where it should be stored: `_backward()` with parentheses runs it at
once, while the gradient above is still 0, and keeps its result, which is None. Without
parentheses the function itself is kept for later.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward()
        return out
