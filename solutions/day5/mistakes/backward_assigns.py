"""The loop assigns the contribution with `=`. A value that is used twice gets two contributions,
and only the last one is left. Add with `+=`.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad = local * node.grad
