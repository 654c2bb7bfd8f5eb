"""train calls zero_grad once, before the loop. From the second step on the gradients of earlier
steps are still there. It belongs inside the loop.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    zero_grad(parameters)
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
