"""reset_grads leaves the gradients as they are. Assigning to the loop variable changes only that
name; the value's `.grad` has to be set.
"""
# fails: complex_expression


def reset_grads(*values):
    for value in values:
        value = 0.0
