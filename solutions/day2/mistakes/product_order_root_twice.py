"""product_order calls L twice, so everything below it gets its share twice. Every node's
`_backward` is called once.
"""
# fails: manual_walk

product_order = ["L", "L", "d"]
