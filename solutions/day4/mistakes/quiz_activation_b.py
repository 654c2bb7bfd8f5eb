"""The factors multiply, so they cannot cancel each other; only terms of a sum can. What changes
is their size: 1 for an active relu, near 0 for a tanh far out.
"""
# fails: quiz

quiz_activation = "B"
