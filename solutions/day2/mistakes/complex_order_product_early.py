"""In complex_order p comes before q, so it hands its gradient on before it has any, and the
contribution through a·b is lost.
"""
# fails: complex_expression

complex_order = ["L", "p", "q", "s"]
