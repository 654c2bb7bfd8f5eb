"""quiz_backpropagation speaks of values. Those are computed in the forward pass; the backward pass
reads them and changes none of them.
"""
# fails: quiz

quiz_backpropagation = "A"
