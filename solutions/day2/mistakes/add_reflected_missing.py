"""A number on the left of + is not understood: Python looks for `__radd__` when the left side is a
plain number, and finds none that works. `sum()` needs it too, for it begins with 0 + the first value.
"""
# fails: add_rule pytorch_parity


class Value(Value):
    def __radd__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
