"""backward calls itself for the children, without a sort: a node that is used twice is called once
for each use and hands on again what it has handed on already. Sort first, then call each node
once.
"""
# fails: reverse_order shared_nodes pytorch_parity


def backward(root):
    root.grad = 1.0
    stack = [root]
    while stack:
        node = stack.pop()
        node._backward()
        stack.extend(node._prev)
