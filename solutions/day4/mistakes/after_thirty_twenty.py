"""In after_thirty there are twenty factors, as if the first ten were counted in. Thirty layers
have thirty.
"""
# fails: chain_products

after_thirty = {"w = 0.5": 0.5**20, "w = 1.5": 1.5**20, "tanh": 0.64**20}
