"""product_order leaves out the root. L is seeded with 1, but somebody has to call its `_backward`,
or nothing arrives below it.
"""
# fails: manual_walk

product_order = ["d"]
