"""diamond_order leaves out d, the root. It is seeded with 1, but somebody has to call its
`_backward`.
"""
# fails: visit_order

diamond_order = ["b", "c", "a"]
