"""f_in_truth is what the gradient promises. Computed anew, the sum is below 0 at a = 4, and relu
makes 0 of it.
"""
# fails: meaning

f_in_truth = -2
