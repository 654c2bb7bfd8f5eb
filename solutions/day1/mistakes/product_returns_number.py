"""product returns the data of the root, a plain number. Return the root itself, the Value."""
# fails: graphs


def product(a, b, c):
    return (a * b + c).data
