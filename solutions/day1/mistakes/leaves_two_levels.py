"""leaves_of looks at the children and at their children, and stops there. A graph may be deeper;
let the function ask itself about each child.
"""
# fails: read_back


def leaves_of(root):
    below = set(root._prev) or {root}
    found = set()
    for child in below:
        found |= set(child._prev) or {child}
    return found
