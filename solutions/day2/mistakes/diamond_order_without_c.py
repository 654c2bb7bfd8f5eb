"""diamond_order leaves out c, so its contribution never reaches a."""
# fails: visit_order

diamond_order = ["d", "b", "a"]
