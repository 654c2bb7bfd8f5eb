"""count_paths counts the paths to every leaf instead of to the one that is asked for. The end of a
path is `root is leaf`, not just any node without children.
"""
# fails: read_back


def count_paths(root, leaf):
    if not root._prev:
        return 1
    return sum(count_paths(child, leaf) for child in root._prev)
