"""zero_grad leaves out the last parameter of the list."""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters[:-1]:
        parameter.grad = 0.0
