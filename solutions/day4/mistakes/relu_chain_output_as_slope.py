"""In the relu chain relu's output was taken for its slope. An open relu passes its input on one
for one, so its slope is 1, however large the value.
"""
# fails: dead_relu

relu_chain_grads = {"x": 144, "s": 36, "m": 12}
