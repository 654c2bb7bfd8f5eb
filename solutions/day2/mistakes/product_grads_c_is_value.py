"""In product_grads the gradient of c is its value. c is added, so L grows by exactly as much as c
grows: the slope is 1.
"""
# fails: predictions

product_grads = {"a": -3.0, "b": 2.0, "c": 10.0, "d": 1.0}
