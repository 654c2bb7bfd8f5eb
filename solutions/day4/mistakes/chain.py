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
