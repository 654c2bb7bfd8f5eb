"""leaves_of returns nothing for a leaf. A leaf is its own and only leaf, and every larger answer is
put together from these.
"""
# fails: read_back


def leaves_of(root):
    found = set()
    for child in root._prev:
        found |= leaves_of(child)
    return found
