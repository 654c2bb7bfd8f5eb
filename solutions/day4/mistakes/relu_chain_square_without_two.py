"""In the relu chain the slope of x ** 2 was taken as x. It is 2 · x: with x = 2 the gradient
that s has is multiplied by 4, not by 2.
"""
# fails: dead_relu

relu_chain_grads = {"x": 6, "s": 3, "m": 1}
