"""neuron computes with `.data` and wraps the result at the end: the number is right, but no input
and no weight can be found from it. Use the operators on the Values themselves.
"""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return Value(x1.data * w1.data + x2.data * w2.data + b.data)
