"""train never calls backward, so there are no gradients to follow and the loss stays where it
is.
"""
# fails: gradient_descent
# same_as: train_clears_after_backward


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
