"""In after_thirty stand the gradients of ten layers. Twenty more factors are to come."""
# fails: chain_products

after_thirty = {"w = 0.5": 0.5**10, "w = 1.5": 1.5**10, "tanh": 0.64**10}
