"""quiz_changed_later is the value of b itself. The local gradient beside b is the other factor, a,
as it was in the forward pass.
"""
# fails: quiz

quiz_changed_later = -3
