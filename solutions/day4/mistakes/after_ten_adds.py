"""In after_ten the local derivatives were added: ten times 0.5 and so on. Along a chain rates
multiply, so it is the tenth power.
"""
# fails: chain_products

after_ten = {"w = 0.5": 10 * 0.5, "w = 1.5": 10 * 1.5, "tanh": 10 * 0.64}
