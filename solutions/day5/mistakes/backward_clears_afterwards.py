"""Each node's gradient is set to 0 once it has been handed on, so only the leaves keep theirs.
Inner nodes and the root have gradients to keep too.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum shared_nodes


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
        if node._children:
            node.grad = 0.0
