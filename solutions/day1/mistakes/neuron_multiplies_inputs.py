"""neuron multiplies x1 by x2 and w1 by w2. Each input is multiplied by its own weight: x1 by w1 and
x2 by w2.
"""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return x1 * x2 + w1 * w2 + b
