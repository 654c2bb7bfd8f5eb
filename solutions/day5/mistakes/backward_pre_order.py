"""The nodes are walked in the order in which a search from the root first comes to them. A node
that two others use then hands on before the second of them has had its turn. List a node after its
children, and walk that list from its end.
"""
# fails: power shared_nodes agreement


def backward(root):
    root.grad = 1.0
    seen, stack = [], [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.append(node)
            stack.extend(reversed(node._children))
    for node in seen:
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
