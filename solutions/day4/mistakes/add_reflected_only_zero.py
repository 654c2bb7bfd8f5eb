"""`__radd__` handles the 0 that sum() begins with and nothing else: for any other number it
gives None. `self + other` is right for 0 as well.
"""
# fails: add_multiply backward sums pytorch_parity


class Value(Value):
    def __radd__(self, other):
        if other == 0:
            return self
