"""In the dead relu these are the values of the forward pass. The gradients are asked for: how
far f moves for each unit that w, x, b or z moves.
"""
# fails: dead_relu

dead_relu_grads = {"w": -3, "x": 2, "b": 1, "z": -5}
