"""backward sets every gradient below the root to 0 after the walk: what was computed is gone
before anybody can read it.
"""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        node._backward()
        if node is not root:
            node.grad = 0.0
