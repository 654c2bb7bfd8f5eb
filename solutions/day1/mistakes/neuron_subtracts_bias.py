"""neuron takes the bias away. b is added; its own sign says which way it shifts the neuron."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return x1 * w1 + x2 * w2 - b
