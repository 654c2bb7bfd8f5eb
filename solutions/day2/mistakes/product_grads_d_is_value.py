"""In product_grads the gradient of d is its value. d is added to c, so L moves exactly as far as d
moves: the slope is 1.
"""
# fails: predictions

product_grads = {"a": -3.0, "b": 2.0, "c": 1.0, "d": -6.0}
