"""Only the last child of each node receives anything. Go through all pairs, with everything that
uses child and local inside the inner loop.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in list(zip(node._children, node._local_grads, strict=True))[-1:]:
            child.grad += local * node.grad
