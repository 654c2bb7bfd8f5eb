"""Every gradient starts at 1 instead of 0, so everything that arrives is 1 too large. Only the
root is seeded with 1, at the beginning of the walk.
"""
# fails: add_rule swap_rule accumulate manual_walk predictions complex_expression tanh_neuron visit_order pytorch_parity leverage quiz

class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        super().__init__(data, _children, _op, label)
        self.grad = 1.0
