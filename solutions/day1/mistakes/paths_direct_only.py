"""count_paths looks at the children of the root and no further. Let it ask itself about each child."""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    return sum(child is leaf for child in root._prev)
