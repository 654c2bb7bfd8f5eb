"""descend moves the first parameter and stops. A `return` inside the loop ends it after one
round.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data -= rate * parameter.grad
        return
