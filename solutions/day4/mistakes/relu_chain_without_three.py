"""In the relu chain the factor 3 is missing on the way back: m = 3 * s moves three units for
each unit of s, so s gets three times what m has.
"""
# fails: dead_relu

relu_chain_grads = {"x": 4, "s": 1, "m": 1}
