"""build_topo lists a node before its children (pre-order). Turned around for the walk, this lets a
shared node hand its gradient on before it has all of it. Append the node after its children.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def build_topo(root):
    order, visited, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if node not in visited:
            visited.add(node)
            order.append(node)
            stack.extend(node._prev)
    return order
