"""reset_grads sets the gradients to None. Nothing can be added to None: they start at 0.0."""
# fails: complex_expression


def reset_grads(*values):
    for value in values:
        value.grad = None
