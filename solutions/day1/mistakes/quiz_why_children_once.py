"""quiz_why_children is D. A node is computed once because its line is executed once, whatever it
keeps. The children are kept for the way back: the backward pass finds them in `_prev`.
"""
# fails: quiz

quiz_why_children = "D"
