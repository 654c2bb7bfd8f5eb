"""quiz_zero_grad speaks of the inner nodes of a new graph. They are made anew, and their gradients
start at 0. Ask which nodes are the same in both graphs.
"""
# fails: quiz

quiz_zero_grad = "B"
