"""The connection is part of the forward pass, so it has a slope of its own, 1, on the way back.
Two paths add up: 1 + f′(h).
"""
# fails: quiz

quiz_residual = "B"
