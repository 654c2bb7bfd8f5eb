"""sum_times returns the data of the root, a plain number. Return the root itself, the Value."""
# fails: graphs


def sum_times(a, b, c):
    return ((a + b) * c).data
