"""In second_step w stayed where it was before the step. After it, w has moved by -0.05 times the
gradient.
"""
# fails: zero_grad

second_step = {"grad": -1.8, "w": 1.9}
