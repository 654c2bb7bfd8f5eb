"""build_topo follows only the first child of each node. What hangs on the other children is not in
the list and never has its turn.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def build_topo(root):
    topo, visited, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            topo.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._children[:1])
    return topo
