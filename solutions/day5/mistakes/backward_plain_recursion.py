"""backward calls itself for each child at once, without a sort: a node that is used twice hands on
again what it has handed on already. Sort first, then give each node one turn.
"""
# fails: power shared_nodes agreement
# same_as: topo_without_visited


def backward(root):
    root.grad = 1.0
    stack = [root]
    while stack:
        node = stack.pop()
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
        stack.extend(reversed(node._children))
