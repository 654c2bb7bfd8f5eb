"""zero_grad sets the data of the parameters to 0 as well as their gradients. What has been
learned is lost that way; only `grad` is cleared.
"""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters:
        parameter.grad = 0.0
        parameter.data = 0.0
