"""product makes the leaves of the lesson itself and ignores those that it is given. Use its
parameters a, b and c.
"""
# fails: graphs


def product(a, b, c):
    return Value(2.0) * Value(-3.0) + Value(10.0)
