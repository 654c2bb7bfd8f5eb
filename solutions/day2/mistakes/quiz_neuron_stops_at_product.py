"""quiz_do_dw1 is the gradient that arrives at x1·w1. One step is left, through the product: there
w1 receives it times the value of the other factor.
"""
# fails: quiz

quiz_do_dw1 = 0.5
