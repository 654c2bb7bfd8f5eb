"""build_topo follows one child of every node only: the loop over the children is left after its
first round.
"""
# fails: build_topo reverse_order diamond shared_nodes accumulates pytorch_parity quiz


def build_topo(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in sorted(node._prev, key=lambda child: child.label)[:1])
    return order
