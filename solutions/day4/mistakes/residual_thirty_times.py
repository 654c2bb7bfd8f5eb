"""In residual_after_thirty the factor 1.05 was taken thirty times and added. Along a chain
factors multiply: 1.05 to the power of 30.
"""
# fails: chain_products

residual_after_thirty = 30 * 1.05
