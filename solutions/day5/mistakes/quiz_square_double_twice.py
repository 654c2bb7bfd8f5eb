"""quiz_square: 2·a is the slope of the whole square. Kept beside each of two children, the loop
would add it up to 4·a.
"""
# fails: quiz

quiz_square = "C"
