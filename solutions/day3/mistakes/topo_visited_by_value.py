"""build_topo remembers the visited nodes by their value, so that two different nodes with the same
data count as one and the second is left out. Remember the nodes themselves.
"""
# fails: build_topo reverse_order seed diamond shared_nodes deep_chain pytorch_parity quiz


def build_topo(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node.data not in visited:
            visited.add(node.data)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
