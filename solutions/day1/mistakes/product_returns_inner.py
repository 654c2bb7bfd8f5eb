"""product returns the inner node d. The root is L, which is d plus c."""
# fails: graphs


def product(a, b, c):
    return a * b
