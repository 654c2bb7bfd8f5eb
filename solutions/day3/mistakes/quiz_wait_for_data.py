"""quiz_wait speaks of data. The forward pass has computed all of it, and the backward pass only
reads it. What travels back, and may be missing, is gradient.
"""
# fails: quiz

quiz_wait = "A"
