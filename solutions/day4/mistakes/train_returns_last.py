"""train returns the last loss alone. A list is asked for, with the loss of each step."""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
    return losses[-1]
