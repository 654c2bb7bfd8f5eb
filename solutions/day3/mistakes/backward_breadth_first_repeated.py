"""backward goes through the graph level by level and calls a node again for every use of it: what
it has handed on already is handed on again. Sort first, then call each node once.
"""
# fails: reverse_order shared_nodes pytorch_parity


def backward(root):
    root.grad = 1.0
    queue = [root]
    while queue:
        node = queue.pop(0)
        node._backward()
        queue.extend(node._prev)
