"""sum_times adds all three. The last operation is a product: e times c."""
# fails: graphs


def sum_times(a, b, c):
    return a + b + c
