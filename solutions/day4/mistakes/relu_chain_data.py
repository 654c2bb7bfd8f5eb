"""In the relu chain these are the values of the forward pass. The gradients are asked for: how
far y moves for each unit that x, s or m moves.
"""
# fails: dead_relu

relu_chain_grads = {"x": 2, "s": 4, "m": 12}
