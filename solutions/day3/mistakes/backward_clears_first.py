"""backward sets every gradient to 0 before it walks, so gradients of two graphs over the same
leaves never add up. Clearing is a step of its own (zero_grad), taken when you want to begin
anew.
"""
# fails: accumulates


def backward(root):
    topo = build_topo(root)
    for node in topo:
        node.grad = 0.0
    root.grad = 1.0
    for node in reversed(topo):
        node._backward()
