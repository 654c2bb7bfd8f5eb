"""leaves_of returns the nodes that were computed, and leaves out the leaves: the question whether
`_prev` is empty is the wrong way round.
"""
# fails: read_back


def leaves_of(root):
    found = {root} if root._prev else set()
    for child in root._prev:
        found |= leaves_of(child)
    return found
