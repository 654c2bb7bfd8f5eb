"""In after_ten there are eleven factors. Ten layers have ten local derivatives."""
# fails: chain_products

after_ten = {"w = 0.5": 0.5**11, "w = 1.5": 1.5**11, "tanh": 0.64**11}
