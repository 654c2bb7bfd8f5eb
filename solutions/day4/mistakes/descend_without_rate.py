"""descend moves by the whole gradient: the rate is not used. A step that large jumps over the
goal.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data -= parameter.grad
