"""descend changes the gradients and leaves data alone, so nothing is learned. The parameter's
number is `data`.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.grad -= rate * parameter.grad
