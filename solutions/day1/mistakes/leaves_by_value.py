"""leaves_of takes two leaves that hold the same number for one. Compare the objects, not their
data.
"""
# fails: read_back


def leaves_of(root):
    if not root._prev:
        return [root]
    found = {}
    for child in root._prev:
        found.update((leaf.data, leaf) for leaf in leaves_of(child))
    return list(found.values())
