"""chain_gradient applies one layer too many: its loop makes n + 1 rounds. `range(n)` makes n."""
# fails: chain_products


def chain_gradient(layer, start, n):
    leaf = node = Value(start)
    for _ in range(n + 1):
        node = layer(node)
    node.backward()
    return leaf.grad
