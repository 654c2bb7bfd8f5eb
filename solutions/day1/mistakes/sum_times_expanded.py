"""sum_times computes a * c + b * c. The number is the same, but it is another graph: its root is a
sum and has no node for a + b. Compute e first, then multiply it by c.
"""
# fails: graphs


def sum_times(a, b, c):
    return a * c + b * c
