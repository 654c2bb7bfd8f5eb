"""zero_grad clears the first parameter and stops. A `return` inside the loop ends it after one
round.
"""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters:
        parameter.grad = 0.0
        return
