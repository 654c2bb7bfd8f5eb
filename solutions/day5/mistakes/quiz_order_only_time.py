"""quiz_order: the sums do not depend on their order, but what is added does: a node that has its
turn too early hands on a gradient that is not complete.
"""
# fails: quiz

quiz_order = "D"
