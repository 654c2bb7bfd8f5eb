"""Only the root's own pairs are handled: one pass too few for everything further down. Every node
in the graph has its turn, in reverse topological order.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz
# same_as: backward_not_reversed


def backward(root):
    root.grad = 1.0
    for node in [root]:
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
