"""In neuron_grads inputs and weights are exchanged: each has its own value times the gradient of
n, instead of the other factor's.
"""
# fails: predictions

neuron_grads = {"x1": 1.0, "w1": -1.5, "x2": 0.0, "w2": 0.5, "b": 0.5, "n": 0.5}
