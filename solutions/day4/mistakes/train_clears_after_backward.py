"""When train comes to descend, all gradients are 0, and no parameter moves. Either backward is
never called, or zero_grad stands between backward and descend and throws away what it has
found.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        zero_grad(parameters)
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
