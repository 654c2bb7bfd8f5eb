"""backward sets the root's gradient to 0. Every gradient is a multiple of it, so everything stays
0. The root's gradient with respect to itself is 1.
"""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity
# same_as: backward_without_seed


def backward(root):
    root.grad = 0.0
    for node in reversed(build_topo(root)):
        node._backward()
