"""neuron multiplies each input by the weight of the other. x1 belongs to w1, and x2 to w2."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return x1 * w2 + x2 * w1 + b
