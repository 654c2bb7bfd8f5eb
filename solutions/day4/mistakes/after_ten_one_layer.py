"""In after_ten stands the local derivative of one layer. Ten of them multiply."""
# fails: chain_products

after_ten = {"w = 0.5": 0.5, "w = 1.5": 1.5, "tanh": 0.64}
