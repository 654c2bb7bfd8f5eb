"""A number on the left of + is not understood: Python looks for `__radd__` when the left side is a
plain number, and finds none that works.
"""
# fails: local_grads add_multiply shared_nodes agreement

del Value.__radd__
