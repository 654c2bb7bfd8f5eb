"""In + the upstream gradient is multiplied by the sign of each input's value. Whether an input is
negative does not matter: when it goes up, the sum goes up by as much.
"""
# fails: add_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += math.copysign(1.0, self.data) * out.grad
            other.grad += math.copysign(1.0, other.data) * out.grad

        out._backward = _backward
        return out
