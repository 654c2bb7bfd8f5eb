"""descend uses the gradient's sign and not its size: every parameter moves equally far. The move
is rate times gradient.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        if parameter.grad:
            parameter.data -= rate if parameter.grad > 0 else -rate
