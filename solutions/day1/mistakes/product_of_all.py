"""product multiplies all three. Only a and b are multiplied; c is added."""
# fails: graphs


def product(a, b, c):
    return a * b * c
