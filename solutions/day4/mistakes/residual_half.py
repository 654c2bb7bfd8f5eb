"""In residual_after_thirty the factor is 1 + 0.5. The layer multiplies by 0.05, so it is 1 +
0.05.
"""
# fails: chain_products

residual_after_thirty = 1.5**30
