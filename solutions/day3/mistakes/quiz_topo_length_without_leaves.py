"""quiz_topo_length counts the results of operations only. The leaves are nodes of the graph too
and stand in the list.
"""
# fails: quiz

quiz_topo_length = 4
