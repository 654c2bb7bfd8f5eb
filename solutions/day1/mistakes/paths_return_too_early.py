"""count_paths returns inside of the loop, so it looks at the first child only. The `return` belongs
after the loop, one step further left.
"""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    for child in root._prev:
        return count_paths(child, leaf)
    return 0
