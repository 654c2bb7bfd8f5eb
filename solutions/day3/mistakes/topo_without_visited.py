"""build_topo does not remember which nodes it has already listed, so a node that is used twice is
listed twice, and everything below it too. A graph without cycles can still meet the same node
on two paths: keep a set of visited nodes.
"""
# fails: build_topo reverse_order shared_nodes pytorch_parity quiz


def build_topo(root):
    order, stack = [], [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
