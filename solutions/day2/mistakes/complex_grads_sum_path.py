"""complex_grads has only the contributions through a + b. a and b are used a second time in a·b,
and both contributions are added.
"""
# fails: complex_expression

complex_grads = {"a": 4.0, "b": 4.0, "c": -1.0}
