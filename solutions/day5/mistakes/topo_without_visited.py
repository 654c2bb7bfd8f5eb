"""A node that two others use has its turn twice, and the second time it hands on again what it has
handed on already. Either build_topo does not remember which nodes it has visited, or backward goes
down from child to child without a sort. Each node has one turn.
"""
# fails: power shared_nodes agreement


def build_topo(root):
    topo, visited, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            topo.append(node)
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in node._children)
    return topo
