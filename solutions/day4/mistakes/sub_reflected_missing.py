"""A number on the left of - raises TypeError: the class has no `__rsub__` that works. In `3 - a` the 3
knows nothing of Value, so Python asks the right side for `__rsub__`.
"""
# fails: subtract pytorch_parity mlp_loss


class Value(Value):
    def __rsub__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
