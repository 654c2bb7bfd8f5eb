"""In second_step w moved from 1 again. The first step has brought it to 1.9, and the second
begins there.
"""
# fails: zero_grad

second_step = {"grad": -1.8, "w": 1.09}
