"""product builds its graph and does not return the root."""
# fails: graphs


def product(a, b, c):
    d = a * b
    L = d + c
