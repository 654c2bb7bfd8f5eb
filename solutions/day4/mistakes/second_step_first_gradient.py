"""In second_step the gradient is that of the first step again. w has moved to 1.9 by then, and
there it is 2 · (3·1.9 - 6) · 3 = -1.8.
"""
# fails: zero_grad

second_step = {"grad": -18, "w": 2.8}
