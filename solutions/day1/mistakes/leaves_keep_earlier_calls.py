"""leaves_of still holds the leaves of earlier calls: a default such as `found=set()` is made once
and not anew in each call. Make the collection inside of the function.
"""
# fails: read_back


def leaves_of(root, found=set()):
    if not root._prev:
        found.add(root)
    for child in root._prev:
        leaves_of(child, found)
    return set(found)
