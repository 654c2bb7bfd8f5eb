"""reset_grads clears the first value only. It takes any number of values, and each needs its
gradient set back.
"""
# fails: complex_expression


def reset_grads(*values):
    for value in values:
        value.grad = 0.0
        return
