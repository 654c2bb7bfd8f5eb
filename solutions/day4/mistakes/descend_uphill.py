"""descend moves the parameters with their gradients, and the loss grows. The gradient points
uphill: subtract it.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data += rate * parameter.grad
