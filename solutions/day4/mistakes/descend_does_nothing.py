"""descend leaves the parameters as they are. Writing `parameter = ...` or `data = ...` changes a
name of the function's own; the step has to change `parameter.data`.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter = Value(parameter.data - rate * parameter.grad)
