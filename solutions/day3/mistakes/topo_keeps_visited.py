"""build_topo remembers the visited nodes from one call to the next (a default argument or a global
set): the second call finds everything visited already and lists nothing. Begin every call with
a new, empty set.
"""
# fails: build_topo


def build_topo(root, visited=set()):
    order, stack = [], [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
