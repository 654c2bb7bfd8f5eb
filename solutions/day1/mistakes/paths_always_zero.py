"""count_paths is 0 for every graph: without the smallest case there is nothing to add up. From a
leaf to itself there is one way.
"""
# fails: read_back


def count_paths(root, leaf):
    return sum(count_paths(child, leaf) for child in root._prev)
