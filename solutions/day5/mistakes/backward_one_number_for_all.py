"""Every child of a node is given the first local gradient. Each child has its own, at the same
place.
"""
# fails: backward add_multiply subtract_divide one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += node._local_grads[0] * node.grad
