"""In × the local derivative is there, but it is not multiplied by the upstream gradient. It looks
right only where the upstream gradient happens to be 1; anywhere deeper in a graph the chain is
cut.
"""
# fails: swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data
            other.grad += self.data

        out._backward = _backward
        return out
