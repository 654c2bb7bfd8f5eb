"""sum_times builds the graph of product. Here the sum comes first: e = a + b, then f = e * c."""
# fails: graphs


def sum_times(a, b, c):
    return a * b + c
