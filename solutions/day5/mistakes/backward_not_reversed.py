"""Only the children of the root receive anything. Either the loop goes through the topological
order from the leaves up, so that every other node hands on before it has any gradient, or only the
root has its turn. Walk the whole order in reverse: the root first.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in build_topo(root):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
