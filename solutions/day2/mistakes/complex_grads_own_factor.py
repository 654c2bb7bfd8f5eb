"""In complex_grads every × handed each factor its own value instead of the other's. a comes out
right by chance; b and c show it.
"""
# fails: complex_expression

complex_grads = {"a": 7.0, "b": -13.0, "c": 4.0}
