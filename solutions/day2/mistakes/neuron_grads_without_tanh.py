"""neuron_grads leaves out the slope of tanh: every gradient is twice what it should be, for at
this point tanh's slope is one half.
"""
# fails: predictions

neuron_grads = {"x1": -3.0, "w1": 2.0, "x2": 1.0, "w2": 0.0, "b": 1.0, "n": 1.0}
