"""strongest names the leaf with the largest gradient, but size counts without the sign: a gradient
of -3 moves L more than one of 2.
"""
# fails: leverage

strongest = "b"
