"""descend divides by the rate. A rate below 1 then makes the steps larger instead of smaller:
multiply by it.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data -= parameter.grad / rate
