"""quiz_do_dw1 is the slope of n for w1. Between n and o stands tanh, and the chain rule multiplies
by its slope too, which is one half at this point.
"""
# fails: quiz

quiz_do_dw1 = 2
