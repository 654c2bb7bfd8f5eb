"""sum_times returns the inner node e. The root is f, which is e times c."""
# fails: graphs


def sum_times(a, b, c):
    return a + b
