"""Every node is set to 1 before the loop, not the root alone, so everything that arrives below is 1
too large.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    for node in build_topo(root):
        node.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
