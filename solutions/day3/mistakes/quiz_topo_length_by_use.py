"""quiz_topo_length counts a and b once for every use. That is the list of a search that remembers
nothing; with the visited set each node stands in it once.
"""
# fails: quiz

quiz_topo_length = 9
