"""The loop runs twice over the graph, and the second time the nodes hand on what they have handed
on already. Once is enough in reverse topological order.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


def backward(root):
    root.grad = 1.0
    for _ in range(2):
        for node in reversed(build_topo(root)):
            for child, local in zip(node._children, node._local_grads, strict=True):
                child.grad += local * node.grad
