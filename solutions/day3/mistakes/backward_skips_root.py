"""backward leaves out the root's own `_backward`: it is seeded, but hands nothing on."""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)[:-1]):
        node._backward()
