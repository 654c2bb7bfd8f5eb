"""leaves_of collects the leaves and does not return them."""
# fails: read_back


def leaves_of(root):
    found = set()
    for child in root._prev:
        found.add(child)
