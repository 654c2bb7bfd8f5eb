"""product_order goes from the inputs to the output: d hands its gradient on before it has any.
Begin at the root, which is seeded with 1, and go towards the leaves.
"""
# fails: manual_walk

product_order = ["d", "L"]
