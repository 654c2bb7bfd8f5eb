"""quiz_zero_grad speaks of the values of the parameters. Setting those back would undo the
training. zero_grad touches gradients only, and leaves every value as it is.
"""
# fails: quiz

quiz_zero_grad = "D"
