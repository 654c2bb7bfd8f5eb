"""In the dead relu the bias was given a gradient of 1. It reaches f through z and relu like the
others, and relu's slope is 0 there: no nudge of b moves f.
"""
# fails: dead_relu

dead_relu_grads = {"w": 0, "x": 0, "b": 1, "z": 0}
