"""quiz_why_children is A. Data is computed once, when the operator is executed, and does not follow
later changes. The children are kept for the way back: the backward pass finds them in `_prev`.
"""
# fails: quiz

quiz_why_children = "A"
