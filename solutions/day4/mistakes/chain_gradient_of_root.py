"""chain_gradient gives back the gradient of the last node, which is the seed: 1. Keep the leaf
under a name of its own and read that one's gradient.
"""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(node)
    node.backward()
    return node.grad
