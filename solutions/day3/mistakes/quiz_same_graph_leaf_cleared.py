"""quiz_same_graph_twice is 17: that is what the second pass alone brings to a, after its inner
nodes kept their first gradient. The leaf kept its own gradient too, for nothing was cleared.
"""
# fails: quiz

quiz_same_graph_twice = 17
