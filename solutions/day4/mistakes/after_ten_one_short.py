"""In after_ten there are nine factors. Ten layers have ten local derivatives."""
# fails: chain_products

after_ten = {"w = 0.5": 0.5**9, "w = 1.5": 1.5**9, "tanh": 0.64**9}
