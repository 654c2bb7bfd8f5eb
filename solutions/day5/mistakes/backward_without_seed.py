"""The root is never given its gradient of 1, so every contribution is multiplied by 0. Set the
root's grad to 1.0 before the loop.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
