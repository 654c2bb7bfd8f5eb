"""f_by_gradient is what the gradient promises for a = 3, where a grew by 1. From 2 to 4 it grows by
2.
"""
# fails: meaning

f_by_gradient = 1
