"""train keeps the losses as Values, and with each of them its whole graph. A list of numbers is
asked for: append `loss.data`.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss)
    return losses
