"""A number on the left of / raises TypeError: the class has no `__rtruediv__` that works. In `3 / a` the 3
knows nothing of Value, so Python asks the right side for `__rtruediv__`.
"""
# fails: divide pytorch_parity


class Value(Value):
    def __rtruediv__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
