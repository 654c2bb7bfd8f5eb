"""complex_order leaves out p, so the contribution through a·b never reaches a and b."""
# fails: complex_expression

complex_order = ["L", "q", "s"]
