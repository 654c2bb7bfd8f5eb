"""In product_grads the sign of a's gradient is lost: b is negative, so L falls when a grows."""
# fails: predictions

product_grads = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}
