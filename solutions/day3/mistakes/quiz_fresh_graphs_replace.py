"""quiz_two_fresh_graphs is the gradient of one pass. The leaves are the same in both graphs and
nobody cleared them, so the second pass adds to what the first one left.
"""
# fails: quiz

quiz_two_fresh_graphs = 7
