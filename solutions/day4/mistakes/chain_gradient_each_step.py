"""chain_gradient calls backward after every layer, on graphs that share their nodes. Inner nodes
hand on old gradients with the new ones. Call it once, on the last node.
"""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(node)
        node.backward()
    return leaf.grad
