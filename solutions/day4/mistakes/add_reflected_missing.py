"""A number on the left of + raises TypeError: the class has no `__radd__` that works. In `3 + a` the 3
knows nothing of Value, so Python asks the right side for `__radd__`. Python's sum() needs it
too, since it begins with 0 + value.
"""
# fails: add_multiply backward sums pytorch_parity mlp_loss


class Value(Value):
    def __radd__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
