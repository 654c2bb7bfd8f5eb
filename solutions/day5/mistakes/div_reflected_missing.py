"""A number on the left of / is not understood: Python looks for `__rtruediv__` when the left side
is a plain number, and finds none that works.
"""
# fails: local_grads subtract_divide agreement

del Value.__rtruediv__
