"""The opposite is the reason for drawing at random: units that begin alike get the same
gradients and stay alike. The spread is about the size of the factors.
"""
# fails: quiz

quiz_initialisation = "D"
