"""backward leaves the root's gradient at 0: the seed is missing, or it is 0. Every gradient is a
multiple of the root's, so everything stays 0. The root's gradient with respect to itself is 1.
"""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    for node in reversed(build_topo(root)):
        node._backward()
