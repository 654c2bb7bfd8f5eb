"""backward seeds the root and stops: no `_backward` is called."""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity
# same_as: backward_forgets_to_call


def backward(root):
    root.grad = 1.0
