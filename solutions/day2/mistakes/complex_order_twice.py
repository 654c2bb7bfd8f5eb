"""complex_order calls s twice, so a and b get that contribution twice. Every node's `_backward` is
called once.
"""
# fails: complex_expression

complex_order = ["L", "s", "q", "p", "s"]
