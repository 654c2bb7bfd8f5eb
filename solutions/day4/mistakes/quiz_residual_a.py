"""There are two paths, but only one of them goes through f. The other is the connection itself,
whose slope is 1. What the paths bring adds up: 1 + f′(h).
"""
# fails: quiz

quiz_residual = "A"
