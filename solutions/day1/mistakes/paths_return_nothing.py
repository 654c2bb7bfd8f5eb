"""count_paths computes a number and does not return it."""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    ways = sum(child is leaf for child in root._prev)
