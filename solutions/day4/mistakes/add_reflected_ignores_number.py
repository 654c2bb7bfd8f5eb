"""`3 + a` gives a: `__radd__` returns self and leaves out the number. That is enough for sum(),
which begins with 0, but not for any other number. It should be self + other.
"""
# fails: add_multiply backward sums pytorch_parity


class Value(Value):
    def __radd__(self, other):
        return self
