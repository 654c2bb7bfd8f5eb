"""neuron returns the data of n, a plain number. Return n itself, the Value."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return (x1 * w1 + x2 * w2 + b).data
