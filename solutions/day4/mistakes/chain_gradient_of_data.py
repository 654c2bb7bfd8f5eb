"""chain_gradient gives back the value of the last node. The gradient of the leaf is asked for."""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n):
        node = layer(node)
    node.backward()
    return node.data
