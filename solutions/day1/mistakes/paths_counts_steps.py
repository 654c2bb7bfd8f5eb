"""count_paths adds 1 at every node on the way, so it counts steps. A step is not a path: add up
what the children answer, and nothing else.
"""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    return 1 + sum(count_paths(child, leaf) for child in root._prev)
