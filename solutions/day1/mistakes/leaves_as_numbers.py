"""leaves_of returns the numbers of the leaves. Return the Values: two of them may hold the same
number.
"""
# fails: read_back


def leaves_of(root):
    if not root._prev:
        return {root.data}
    found = set()
    for child in root._prev:
        found |= leaves_of(child)
    return found
