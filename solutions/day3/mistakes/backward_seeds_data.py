"""backward writes the seed into the root's `data` instead of its `grad`."""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.data = 1.0
    for node in reversed(build_topo(root)):
        node._backward()
