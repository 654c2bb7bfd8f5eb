"""A number on the left of × is not understood: Python looks for `__rmul__` when the left side is a
plain number, and there is none.
"""
# fails: swap_rule pytorch_parity

del Value.__rmul__
