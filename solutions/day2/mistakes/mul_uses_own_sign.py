"""In × the upstream gradient is multiplied by the sign of each factor's own value. The local
derivative is the value of the other factor, with its sign and its size.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += math.copysign(1.0, self.data) * out.grad
            other.grad += math.copysign(1.0, other.data) * out.grad

        out._backward = _backward
        return out
