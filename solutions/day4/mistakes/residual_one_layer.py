"""In residual_after_thirty stands the factor of one layer, 1.05. Thirty of them multiply."""
# fails: chain_products

residual_after_thirty = 1.05
