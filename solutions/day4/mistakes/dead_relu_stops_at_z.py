"""In the dead relu z was given the upstream gradient of 1. z is relu's input, so its gradient is
upstream times relu's slope, and that slope is 0 at z = -5.
"""
# fails: dead_relu

dead_relu_grads = {"w": 0, "x": 0, "b": 0, "z": 1}
