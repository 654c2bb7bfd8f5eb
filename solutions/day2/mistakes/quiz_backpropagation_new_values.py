"""quiz_backpropagation speaks of new values for the leaves. Training makes those afterwards, with
the gradients in hand; the backward pass itself changes no value.
"""
# fails: quiz

quiz_backpropagation = "D"
