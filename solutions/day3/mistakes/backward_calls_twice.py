"""backward goes through the nodes twice, so every node hands its gradient on two times."""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for _ in range(2):
        for node in reversed(build_topo(root)):
            node._backward()
