"""product_order calls d twice, so a and b get their share twice. Every node's `_backward` is
called once.
"""
# fails: manual_walk

product_order = ["L", "d", "d"]
