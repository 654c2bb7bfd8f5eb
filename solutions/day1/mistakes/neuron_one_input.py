"""neuron uses the first input only: x2 times w2 is missing."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return x1 * w1 + b
