"""train builds the loss a second time, after the step, and keeps that one. The list should hold
the loss that the step began with: append `loss.data`.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss_of().data)
    return losses
