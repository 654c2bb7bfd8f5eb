"""quiz_square: 1 and 2·a would add up to 2·a + 1. Each of the two uses of a contributes the value
of the other factor.
"""
# fails: quiz

quiz_square = "B"
