"""In after_thirty the local derivatives were added: thirty times 0.5 and so on. Along a chain
rates multiply, so it is the thirtieth power.
"""
# fails: chain_products

after_thirty = {"w = 0.5": 30 * 0.5, "w = 1.5": 30 * 1.5, "tanh": 30 * 0.64}
