"""f_in_truth is the value of f before a grew. Compute the graph anew with a = 4."""
# fails: meaning

f_in_truth = 4
