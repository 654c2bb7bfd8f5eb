"""train calls loss_of once, before the loop. The graph keeps the numbers it was built with, so
the loss never changes and its inner gradients pile up. Build it anew in each step.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    loss = loss_of()
    for _ in range(steps):
        zero_grad(parameters)
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
