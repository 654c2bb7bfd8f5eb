"""quiz_three_pairs is the value of y. The question is for the gradient: three local gradients,
added.
"""
# fails: quiz

quiz_three_pairs = 28
