"""train returns inside the loop, after the first step. The `return` belongs behind the loop,
without its indentation.
"""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
        return losses
