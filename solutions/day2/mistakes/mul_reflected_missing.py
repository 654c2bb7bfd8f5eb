"""A number on the left of × is not understood: Python looks for `__rmul__` when the left side is a
plain number, and finds none that works.
"""
# fails: swap_rule pytorch_parity


class Value(Value):
    def __rmul__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
