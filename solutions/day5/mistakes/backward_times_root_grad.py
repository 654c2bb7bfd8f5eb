"""Each contribution is multiplied by the root's gradient, which is always 1, instead of by the
gradient of the node that hands it on.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_without_node_grad


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * root.grad
