"""In second_step w moved the wrong way. The gradient is negative, and w moves by minus the rate
times it: up, from 1.9 to 1.99.
"""
# fails: zero_grad

second_step = {"grad": -1.8, "w": 1.81}
