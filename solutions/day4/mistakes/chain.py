Mistake(
    "chain_gradient_each_step",
    "chain_gradient calls backward after every layer, on graphs that share their nodes. Inner nodes "
    "hand on old gradients with the new ones. Call it once, on the last node.",
    edits={
        "        node = layer(node)\n    node.backward()\n": (
            "        node = layer(node)\n        node.backward()\n"
        ),
    },
    fails="chain_products",
)

Mistake(
    "chain_gradient_from_leaf",
    "chain_gradient applies every layer to the leaf, so the last node is one layer away from it. Each "
    "layer takes what the one before gave: `node = layer(node)`.",
    edits={
        "        node = layer(node)\n    node.backward()\n": (
            "        node = layer(leaf)\n    node.backward()\n"
        ),
    },
    fails="chain_products",
)

Mistake(
    "chain_gradient_of_data",
    "chain_gradient gives back the value of the last node. The gradient of the leaf is asked for.",
    edits={"return leaf.grad": "return node.data"},
    fails="chain_products",
)

Mistake(
    "chain_gradient_of_root",
    "chain_gradient gives back the seed, 1: either it reads the gradient of the last node, or it calls "
    "backward on the leaf. Keep both under names of their own, call backward on the last node and read the "
    "gradient of the leaf.",
    edits=[
        {"return leaf.grad": "return node.grad"},
        {"    node.backward()\n    return leaf.grad": "    leaf.backward()\n    return leaf.grad"},
    ],
    fails="chain_products",
)

Mistake(
    "chain_gradient_one_more",
    "chain_gradient applies one layer too many: its loop makes n + 1 rounds. `range(n)` makes n.",
    edits={"for _ in range(n):": "for _ in range(n + 1):"},
    fails="chain_products",
)

Mistake(
    "chain_gradient_one_short",
    "chain_gradient applies one layer too few: its loop makes n - 1 rounds. `range(n)` makes n.",
    edits={"for _ in range(n):": "for _ in range(n - 1):"},
    fails="chain_products",
)

Mistake(
    "chain_gradient_without_backward",
    "chain_gradient never calls backward, so the leaf's gradient is still 0.",
    edits={"    node.backward()\n    return leaf.grad": "    return leaf.grad"},
    fails="chain_products",
)

Mistake(
    "chain_gradient_of_a_number",
    "chain_gradient gives the plain number `start` to the layer. A number keeps no graph and has no "
    "backward: make a Value from it first, and keep it, since its gradient is asked for.",
    edits={"leaf = node = Value(start)": "leaf = node = start"},
    fails="chain_products",
)
