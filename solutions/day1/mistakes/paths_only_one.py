"""count_paths says whether there is a path, 1 or 0, and not how many there are. Add up the answers
of all children.
"""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    return max((count_paths(child, leaf) for child in root._prev), default=0)
