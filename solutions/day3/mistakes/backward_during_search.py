"""backward calls `_backward` while it searches the graph from the root (pre-order), each node
once: a node that is used twice hands its gradient on before the second contribution has
arrived. Sort first, then call.
"""
# fails: reverse_order shared_nodes pytorch_parity


def backward(root):
    root.grad = 1.0
    visited, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node not in visited:
            visited.add(node)
            node._backward()
            stack.extend(node._prev)
