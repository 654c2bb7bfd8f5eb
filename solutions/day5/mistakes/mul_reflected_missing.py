"""A number on the left of × is not understood: Python looks for `__rmul__` when the left side is a
plain number, and finds none that works.
"""
# fails: add_multiply subtract_divide power one_input shared_nodes agreement quiz

del Value.__rmul__
