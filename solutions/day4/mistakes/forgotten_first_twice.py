"""In second_step_forgotten the gradient of the first step was added twice. The second step's own
gradient is the one at w = 1.9, which is -1.8.
"""
# fails: zero_grad

second_step_forgotten = {"grad": -36, "w": 3.7}
