"""descend puts the move in the place of the number: `data = -rate * grad` forgets where the
parameter was. Use `-=`.
"""
# fails: gradient_descent


def descend(parameters, rate):
    for parameter in parameters:
        parameter.data = -rate * parameter.grad
