"""The nodes are walked in the order of their data, the largest first. That is right only where
values happen to grow toward the root; a topological order depends on the graph alone.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning agreement quiz


def backward(root):
    root.grad = 1.0
    for node in sorted(build_topo(root), key=lambda node: node.data, reverse=True):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
