"""backward sorts the nodes by their value instead of by who is made from whom."""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in sorted(build_topo(root), key=lambda node: (-node.data, node.label)):
        node._backward()
