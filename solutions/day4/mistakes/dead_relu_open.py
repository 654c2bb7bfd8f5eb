"""These are the gradients that an open relu would give. z = w · x + b is -5 here, so relu is
flat, its slope is 0, and everything before it is multiplied by that 0.
"""
# fails: dead_relu

dead_relu_grads = {"w": 2, "x": -3, "b": 1, "z": 1}
