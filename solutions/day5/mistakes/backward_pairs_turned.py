"""The loop goes through the children forward and through the local gradients backward, so each
child finds the number of another.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, reversed(node._local_grads), strict=True):
            child.grad += local * node.grad
