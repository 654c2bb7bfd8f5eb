"""zero_grad sets the gradients to 1. The next backward adds to that, and every gradient is 1 too
large. 1 is the root's seed and backward's business.
"""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters:
        parameter.grad = 1.0
