"""In product_grads a and b are exchanged: each has its own value. The slope of a·b for a is b's
value.
"""
# fails: predictions

product_grads = {"a": 2.0, "b": -3.0, "c": 1.0, "d": 1.0}
