"""quiz_number_left is C. Python knows nothing of how to make a Value out of a number; that is your
own line. It asks the 2 first, and when that declines, calls `a.__rmul__(2)`.
"""
# fails: quiz

quiz_number_left = "C"
