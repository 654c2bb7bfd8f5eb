"""There is no sum over the layers: along a chain the local derivatives multiply. What changes is
the size of the factors.
"""
# fails: quiz

quiz_activation = "D"
