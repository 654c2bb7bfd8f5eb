"""neuron multiplies by the bias. b is added to the sum of the two products."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return (x1 * w1 + x2 * w2) * b
