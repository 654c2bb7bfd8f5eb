"""backward sets every node's gradient to 1, not only the root's, so 1 too much is handed on from
everywhere.
"""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    for node in build_topo(root):
        node.grad = 1.0
    for node in reversed(build_topo(root)):
        node._backward()
