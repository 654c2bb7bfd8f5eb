"""In build_topo the line that appends stands outside of the `if`, so a node is appended at every
visit, the second and third included. It belongs inside, after the loop over the children.
"""
# fails: build_topo reverse_order shared_nodes pytorch_parity quiz


def build_topo(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done or node in visited:
            order.append(node)
        else:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in node._prev)
    return order
