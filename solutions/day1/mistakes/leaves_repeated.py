"""leaves_of lists a leaf once for each path that leads to it. Collect the leaves in a set, or ask
whether a leaf is there already.
"""
# fails: read_back


def leaves_of(root):
    if not root._prev:
        return [root]
    return [leaf for child in root._prev for leaf in leaves_of(child)]
