"""leaves_of asks itself about each child and drops what it gets back. What it returns for a child
has to be put into the collection.
"""
# fails: read_back


def leaves_of(root):
    found = set()
    if not root._prev:
        found.add(root)
    for child in root._prev:
        leaves_of(child)
    return found
