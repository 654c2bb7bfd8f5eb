"""quiz_same_graph_twice is twice the gradient of one pass. That is right for two fresh graphs. In
the same graph the inner nodes hold their first gradient too, add the second to it, and hand on
both together.
"""
# fails: quiz

quiz_same_graph_twice = 14
