"""f_by_gradient is the change, gradient times nudge. It has to be added to the value that f has at
a = 2.
"""
# fails: meaning

f_by_gradient = -6
