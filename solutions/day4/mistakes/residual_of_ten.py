"""In residual_after_thirty there are ten factors. Thirty layers have thirty."""
# fails: chain_products

residual_after_thirty = 1.05**10
