"""quiz_do_dw1 is w1's own value times the gradient of n. × swaps: the slope of x1·w1 for w1 is the
value of x1.
"""
# fails: quiz

quiz_do_dw1 = -1.5
