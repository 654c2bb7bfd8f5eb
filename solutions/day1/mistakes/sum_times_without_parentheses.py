"""sum_times computes a + b * c: without parentheses × goes before +. Compute e first, then multiply
it by c.
"""
# fails: graphs


def sum_times(a, b, c):
    return a + b * c
