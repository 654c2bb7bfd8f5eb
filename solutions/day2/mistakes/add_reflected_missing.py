"""A number on the left of + is not understood: Python looks for `__radd__` when the left side is a
plain number, and there is none. `sum()` needs it too, for it begins with 0 + the first value.
"""
# fails: add_rule pytorch_parity

del Value.__radd__
