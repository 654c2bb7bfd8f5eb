"""In residual_after_thirty the layer itself was left out: only the connection's slope of 1 was
counted. The layer adds 0.05 to each factor.
"""
# fails: chain_products

residual_after_thirty = 1.0
