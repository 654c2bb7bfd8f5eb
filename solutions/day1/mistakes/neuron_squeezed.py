"""neuron returns tanh of n, wrapped in a new Value. Today it returns n: a tanh that keeps the graph
is day 2's.
"""
# fails: graphs


def neuron(x1, x2, w1, w2, b):
    return Value(math.tanh((x1 * w1 + x2 * w2 + b).data))
