"""descend moves each parameter by the rate times its own value. That shrinks the parameters and
knows nothing of the loss: use `grad`.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate * parameter.data
