"""reset_grads sets the gradients to 1. They start at 0; only the root is seeded with 1."""
# fails: complex_expression


def reset_grads(*values):
    for value in values:
        value.grad = 1.0
