"""build_topo is a depth-first search that lists each node when it first meets it (pre-order),
turned around at the end. The root comes last, but a node that is used twice can stand after one
of those that use it. Append a node only when all its children are listed.
"""
# fails: build_topo reverse_order shared_nodes pytorch_parity


def build_topo(root):
    order, visited, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if node not in visited:
            visited.add(node)
            order.append(node)
            stack.extend(node._prev)
    return order[::-1]
