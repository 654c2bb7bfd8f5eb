"""descend moves every parameter by the rate itself, whatever its gradient. The move is rate
times gradient.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate
