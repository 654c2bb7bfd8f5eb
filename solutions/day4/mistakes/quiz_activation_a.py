"""Larger outputs do not make larger gradients: the gradient is a product of slopes, not of
values. An active relu's slope is 1, and that is what changes.
"""
# fails: quiz

quiz_activation = "A"
