"""train never calls zero_grad: each step's gradient is added to those of all steps before, and
the moves grow too large. Clear the gradients at the beginning of each step.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses
