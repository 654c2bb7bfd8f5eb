"""Only the root and its children have their turn, and the walk ends there. Every node in the graph
has its turn, in reverse topological order.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for node in [root, *dict.fromkeys(root._children)]:
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
