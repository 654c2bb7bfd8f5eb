"""build_topo does not remember which nodes it has visited. A node that two others use then stands
in the list twice and hands on its gradient twice.
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
