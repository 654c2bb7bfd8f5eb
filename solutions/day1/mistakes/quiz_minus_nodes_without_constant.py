"""quiz_minus_nodes is 4, which leaves out one node: the -1 became a leaf, and the product is a node
of its own beside the sum.
"""
# fails: quiz

quiz_minus_nodes = 4
