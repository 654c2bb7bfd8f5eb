"""strongest names the leaf with the largest value. Leverage is the size of the gradient, not of
the value.
"""
# fails: leverage

strongest = "c"
