"""train moves the parameters before backward has found this step's gradients, right after they
were cleared: nothing moves. The order is zero_grad, loss, backward, descend.
"""
# fails: gradient_descent
# same_as: train_forgets_descend


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        descend(parameters, rate)
        loss.backward()
        losses.append(loss.data)
    return losses
