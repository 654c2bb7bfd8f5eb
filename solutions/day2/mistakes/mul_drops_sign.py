"""In × the other factor's sign is lost: its size is used without it. When the other factor is
negative, a larger factor makes the product smaller, and the gradient must say so.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += abs(other.data) * out.grad
            other.grad += abs(self.data) * out.grad

        out._backward = _backward
        return out
