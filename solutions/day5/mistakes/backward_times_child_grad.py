"""Each contribution is multiplied by the child's gradient, which is what is being computed, and 0
at first. The upstream gradient is the one of the node: node.grad.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_hands_nothing_on


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * child.grad
