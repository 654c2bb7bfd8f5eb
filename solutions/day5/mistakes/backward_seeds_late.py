"""The root gets its gradient of 1 after the loop, when everything has been handed on already, as 0.
The seed comes first.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_hands_nothing_on


def backward(root):
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
    root.grad = 1.0
