"""quiz_minus_nodes is 6: one too many. There are three leaves, a product and a sum; the sum is the
result itself and is not counted again.
"""
# fails: quiz

quiz_minus_nodes = 6
