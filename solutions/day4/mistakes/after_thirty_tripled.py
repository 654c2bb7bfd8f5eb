"""In after_thirty the gradients of ten layers were multiplied by 3. Three times as many layers
multiply three such gradients: it is the third power, and what was small gets smaller.
"""
# fails: chain_products

after_thirty = {"w = 0.5": 0.5**10 * 3, "w = 1.5": 1.5**10 * 3, "tanh": 0.64**10 * 3}
