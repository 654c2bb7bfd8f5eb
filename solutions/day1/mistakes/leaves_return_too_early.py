"""leaves_of returns inside of the loop, so it stops after the first child. The `return` belongs
after the loop, one step further left.
"""
# fails: read_back


def leaves_of(root):
    if not root._prev:
        return {root}
    found = set()
    for child in root._prev:
        found |= leaves_of(child)
        return found
