"""leaves_of returns the labels of the leaves. Return the Values themselves; a label may be empty,
or stand on two leaves.
"""
# fails: read_back


def leaves_of(root):
    if not root._prev:
        return {root.label}
    found = set()
    for child in root._prev:
        found |= leaves_of(child)
    return found
