"""backward seeds the root with its value (`data`) instead of 1."""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = root.data
    for node in reversed(build_topo(root)):
        node._backward()
