"""count_paths multiplies the answers of the children, and one child without a path makes everything
0. The ways through one child and through another are added.
"""
# fails: read_back


def count_paths(root, leaf):
    if root is leaf:
        return 1
    ways = 1 if root._prev else 0
    for child in root._prev:
        ways *= count_paths(child, leaf)
    return ways
