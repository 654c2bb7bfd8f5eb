"""build_topo returns the set of visited nodes. A set holds every node once, but it has no order;
return the list that you append to.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity quiz


def build_topo(root):
    visited, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node not in visited:
            visited.add(node)
            stack.extend(node._prev)
    return visited
