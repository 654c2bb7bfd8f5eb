"""build_topo keeps its list from one call to the next (a default argument or a global list), so
the second graph is appended to the first. Begin every call with a new, empty list.
"""
# fails: build_topo accumulates


def build_topo(root, order=[]):
    visited, stack = set(), [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
