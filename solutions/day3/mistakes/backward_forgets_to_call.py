"""backward seeds the root, but no `_backward` is called: the loop is missing, or its line names
`_backward` without the parentheses that call it.
"""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        node._backward
