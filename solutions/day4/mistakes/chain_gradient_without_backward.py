"""chain_gradient never calls backward, so the leaf's gradient is still 0."""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(node)
    return leaf.grad
