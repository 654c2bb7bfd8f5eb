"""neuron adds each input to its weight. An input is weighed by multiplying it."""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return (x1 + w1) * (x2 + w2) + b
