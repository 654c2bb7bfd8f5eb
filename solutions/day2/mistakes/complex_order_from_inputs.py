"""complex_order goes from the inputs to the output. A node may hand its gradient on only when it
has all of it: begin at the root.
"""
# fails: complex_expression

complex_order = ["p", "q", "s", "L"]
