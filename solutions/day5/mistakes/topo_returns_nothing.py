"""build_topo sorts the nodes and does not return the list: `return` is missing at its end."""
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
            stack.extend((child, False) for child in node._children)
