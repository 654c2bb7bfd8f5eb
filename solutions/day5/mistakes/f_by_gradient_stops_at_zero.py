"""f_by_gradient stops at 0, as f itself does. The gradient knows nothing of the bend in relu: what
it promises is a straight line.
"""
# fails: meaning

f_by_gradient = 0
