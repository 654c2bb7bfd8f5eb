"""In residual_after_thirty the factor is that of the layer alone, 0.05. The input is added to
it, and its own slope is 1: the factor is 1 + 0.05.
"""
# fails: chain_products

residual_after_thirty = 0.05**30
