"""leaves_of returns every node of the graph. Only nodes with an empty `_prev` are leaves."""
# fails: read_back


def leaves_of(root):
    found = {root}
    for child in root._prev:
        found |= leaves_of(child)
    return found
