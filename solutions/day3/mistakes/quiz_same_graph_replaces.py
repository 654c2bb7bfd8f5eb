"""quiz_same_graph_twice is the gradient of one pass. Nothing was cleared in between, so what the
first pass left is still there and the second adds to it.
"""
# fails: quiz

quiz_same_graph_twice = 7
