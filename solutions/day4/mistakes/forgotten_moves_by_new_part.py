"""In second_step_forgotten w moved by the new part of the gradient only. The step does not know
the parts: it takes the whole of w.grad, which is -19.8.
"""
# fails: zero_grad

second_step_forgotten = {"grad": -19.8, "w": 1.99}
