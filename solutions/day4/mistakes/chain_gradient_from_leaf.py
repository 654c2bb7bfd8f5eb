"""chain_gradient applies every layer to the leaf, so the last node is one layer away from it.
Each layer takes what the one before gave: `node = layer(node)`.
"""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(leaf)
    node.backward()
    return leaf.grad
