"""In after_ten the slope of tanh was taken as 1 - 0.6. The value is squared: 1 - 0.6² is 0.64."""
# fails: chain_products

after_ten = {"w = 0.5": 0.5**10, "w = 1.5": 1.5**10, "tanh": 0.4**10}
