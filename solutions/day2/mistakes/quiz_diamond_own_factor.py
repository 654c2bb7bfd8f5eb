"""quiz_dd_da is 21: b and c were given their own values as gradients. × swaps, so the gradient of
b is the value of c, and the other way round.
"""
# fails: quiz

quiz_dd_da = 21
