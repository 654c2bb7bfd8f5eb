"""Each contribution is multiplied by the node's data, where its gradient belongs: child.grad +=
local * node.grad.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.data
