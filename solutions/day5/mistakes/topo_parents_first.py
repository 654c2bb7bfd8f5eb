"""build_topo appends a node before its children are in the list, so that the list begins with the
root, and the reversed walk begins with the leaves. Append a node after its children.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_not_reversed


def build_topo(root):
    topo, visited, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            topo.insert(0, node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._children)
    return topo
