"""In second_step the inner factor is missing: (3w - 6)² has the slope 2 · (3w - 6) times 3,
since 3w - 6 moves three units for each unit of w.
"""
# fails: zero_grad

second_step = {"grad": -0.6, "w": 1.93}
