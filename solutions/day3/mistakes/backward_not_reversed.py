"""backward goes through the topological order from the leaves up, so every node hands on its
gradient before it has any. The walk is in reverse: the root first.
"""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in build_topo(root):
        node._backward()
