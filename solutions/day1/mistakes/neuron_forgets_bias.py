"""neuron leaves out the bias b. It is added to the two products."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return x1 * w1 + x2 * w2
