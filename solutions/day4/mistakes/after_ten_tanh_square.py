"""In after_ten the slope of tanh was taken as 0.6². It is 1 minus that: 0.64."""
# fails: chain_products

after_ten = {"w = 0.5": 0.5**10, "w = 1.5": 1.5**10, "tanh": 0.36**10}
