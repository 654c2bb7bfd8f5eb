"""Two different nodes that hold the same number count as one, and the second never has its turn.
Either build_topo remembers data instead of nodes, or the class defines `__eq__` and `__hash__` by
data. Nodes are compared as objects.
"""
# fails: backward add_multiply subtract_divide one_input relu_sum meaning shared_nodes agreement quiz


def build_topo(root):
    topo, visited, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            topo.append(node)
        elif node.data not in visited:
            visited.add(node.data)
            stack.append((node, True))
            stack.extend((child, False) for child in node._children)
    return topo
