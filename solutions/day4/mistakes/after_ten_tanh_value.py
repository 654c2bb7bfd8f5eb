"""In after_ten the value 0.6 was taken for the slope of tanh. The slope is 1 - 0.6², which is
0.64.
"""
# fails: chain_products

after_ten = {"w = 0.5": 0.5**10, "w = 1.5": 1.5**10, "tanh": 0.6**10}
