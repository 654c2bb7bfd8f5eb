"""f_by_gradient goes up. The gradient of a is negative: when a grows, f falls."""
# fails: meaning

f_by_gradient = 10
