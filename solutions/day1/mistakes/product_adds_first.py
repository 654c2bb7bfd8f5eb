"""product computes a * (b + c). The product of a and b comes first, and c is added to it."""
# fails: graphs


def product(a, b, c):
    return a * (b + c)
