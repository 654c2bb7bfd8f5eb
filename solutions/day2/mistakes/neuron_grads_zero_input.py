"""In neuron_grads x2 and w2 are exchanged. x2 is 0, so nudging w2 moves nothing; nudging x2 itself
moves n by w2's value for each unit.
"""
# fails: predictions

neuron_grads = {"x1": -1.5, "w1": 1.0, "x2": 0.0, "w2": 0.5, "b": 0.5, "n": 0.5}
