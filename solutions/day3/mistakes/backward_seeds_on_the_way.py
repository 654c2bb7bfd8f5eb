"""backward calls itself for the children and seeds each of them with 1 again, so what has arrived
there is overwritten. The seed is the root's alone; sort first, then call every node in one loop.
"""
# fails: reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity


def backward(root):
    root.grad = 1.0
    root._backward()
    for child in root._prev:
        backward(child)
