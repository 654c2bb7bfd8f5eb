"""zero_grad sets the data of the parameters to 0 and leaves their gradients. What has been
learned is lost that way; `grad` is what has to be cleared.
"""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters:
        parameter.data = 0.0
