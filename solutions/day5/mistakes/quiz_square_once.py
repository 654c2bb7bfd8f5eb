"""quiz_square: the loop comes to each pair once, not to each child. With a single pair (a, a) it
adds a, which is half of the slope 2·a.
"""
# fails: quiz

quiz_square = "A"
