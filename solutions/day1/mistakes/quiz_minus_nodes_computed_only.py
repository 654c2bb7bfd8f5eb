"""quiz_minus_nodes is 2, which counts only the nodes that an operation made. The three leaves a, b
and -1 belong to the graph too.
"""
# fails: quiz

quiz_minus_nodes = 2
