"""zero_grad leaves the gradients as they are. Writing `grad = 0` sets a name of the function's
own; the parameter's is `parameter.grad`.
"""
# fails: zero_grad gradient_descent


def zero_grad(parameters):
    for parameter in parameters:
        grad = 0.0
