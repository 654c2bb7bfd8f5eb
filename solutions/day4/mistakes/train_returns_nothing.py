"""train trains but returns nothing. Give back the list of losses after the loop."""
# fails: gradient_descent


def train(loss_of, parameters, steps, rate):
    losses = []
    for _ in range(steps):
        zero_grad(parameters)
        loss = loss_of()
        loss.backward()
        descend(parameters, rate)
        losses.append(loss.data)
