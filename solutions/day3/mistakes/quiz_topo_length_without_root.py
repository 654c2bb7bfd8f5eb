"""quiz_topo_length is one short: the root is a node of its own graph and stands in the list, at
its end.
"""
# fails: quiz

quiz_topo_length = 6
