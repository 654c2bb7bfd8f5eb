"""backward seeds the root after the walk: by then every node has already handed on a 0. Seed
first, then walk.
"""
# fails: seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    for node in reversed(build_topo(root)):
        node._backward()
    root.grad = 1.0
