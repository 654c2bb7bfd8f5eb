"""The contribution is added to the node itself instead of to its child. The node hands on; the
child receives.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_hands_nothing_on


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            node.grad += local * child.grad
