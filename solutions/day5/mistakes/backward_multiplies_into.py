"""The child's gradient is multiplied by the contribution instead of increased by it. It begins at
0, and 0 it stays. Contributions of several paths are added: `+=`.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_hands_nothing_on


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad *= local * node.grad
