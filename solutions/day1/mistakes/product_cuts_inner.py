"""product wraps the product of a and b in a new Value before it adds c, so a and b cannot be found
from the root. Use d as it comes out of the operator.
"""
# fails: graphs


def product(a, b, c):
    d = Value((a * b).data)
    return d + c
