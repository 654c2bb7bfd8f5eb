"""In residual_after_thirty the thirty times 0.05 were added to 1. Each layer multiplies by 1.05;
thirty of them give 1.05 to the power of 30.
"""
# fails: chain_products

residual_after_thirty = 1 + 30 * 0.05
