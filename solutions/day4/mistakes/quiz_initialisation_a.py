"""Weights near 0 are factors near 0: the product would vanish at once. The spread is chosen so
that the factors are about 1 in size, neither more nor less.
"""
# fails: quiz

quiz_initialisation = "A"
