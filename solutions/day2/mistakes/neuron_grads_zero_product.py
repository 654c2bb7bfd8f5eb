"""In neuron_grads both x2 and w2 have 0. Their product is 0, but only one of them is: when x2 goes
up, x2·w2 goes up by w2's value for each unit.
"""
# fails: predictions

neuron_grads = {"x1": -1.5, "w1": 1.0, "x2": 0.0, "w2": 0.0, "b": 0.5, "n": 0.5}
