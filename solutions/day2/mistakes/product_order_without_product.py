"""product_order leaves out d, so the gradient stops there: a and b get nothing."""
# fails: manual_walk

product_order = ["L"]
