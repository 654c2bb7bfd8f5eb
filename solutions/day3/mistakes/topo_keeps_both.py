"""build_topo keeps its list and its set from one call to the next: they are made outside of it, or
as defaults such as `order=[]`, which Python makes only once. Make both anew in every call.
"""
# fails: build_topo accumulates

order = []
visited = set()


def build_topo(root):
    stack = [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
