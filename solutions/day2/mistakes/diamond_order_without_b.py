"""diamond_order leaves out b, so its contribution never reaches a."""
# fails: visit_order

diamond_order = ["d", "c", "a"]
