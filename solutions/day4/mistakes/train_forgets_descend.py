"""train finds gradients, but no parameter moves along them. Either descend is never called, or
it is called before backward, when the gradients have just been cleared. The order is
zero_grad, loss, backward, descend.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        losses.append(loss.data)
    return losses
