"""In the relu chain every node was given the seed. Only the root has 1 by itself; going back,
each step multiplies by a local derivative: 1, then 3, then 2 · x.
"""
# fails: dead_relu

relu_chain_grads = {"x": 1, "s": 1, "m": 1}
