"""In the relu chain relu was taken to stop the gradient. It stops it where its input is
negative; here m is 12, relu is open and hands on upstream as it is.
"""
# fails: dead_relu

relu_chain_grads = {"x": 0, "s": 0, "m": 0}
