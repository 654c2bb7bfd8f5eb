"""backward calls the root's `_backward` and no other: the gradient arrives at its children and
stops there.
"""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    root._backward()
