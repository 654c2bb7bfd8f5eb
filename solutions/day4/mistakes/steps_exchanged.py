"""The two predictions are exchanged: -19.8 is what happens without zero_grad, when -1.8 is added
to the -18 of the first step. With zero_grad the second step sees -1.8 alone.
"""
# fails: zero_grad

second_step = {"grad": -19.8, "w": 2.89}
second_step_forgotten = {"grad": -1.8, "w": 1.99}
