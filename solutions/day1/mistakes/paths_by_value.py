"""count_paths compares the data, so it also counts paths to other nodes that hold the same number.
Compare the objects, with `is`.
"""
# fails: read_back


def count_paths(root, leaf):
    if root.data == leaf.data:
        return 1
    return sum(count_paths(child, leaf) for child in root._prev)
