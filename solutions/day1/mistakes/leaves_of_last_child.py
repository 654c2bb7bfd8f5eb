"""leaves_of returns the leaves of one child only: the answer of the first child is overwritten by
that of the next. Put the answers together.
"""
# fails: read_back


def leaves_of(root):
    found = {root}
    for child in root._prev:
        found = leaves_of(child)
    return found
