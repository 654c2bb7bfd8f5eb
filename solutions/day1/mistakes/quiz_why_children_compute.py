"""quiz_why_children is B. To compute the data the operator has both inputs at hand anyway and needs
only their numbers. They are kept for later: the backward pass finds them in `_prev`.
"""
# fails: quiz

quiz_why_children = "B"
