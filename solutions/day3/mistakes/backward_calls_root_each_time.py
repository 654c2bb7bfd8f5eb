"""backward calls the root's `_backward` once for every node of the graph, instead of each node's
own.
"""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        root._backward()
