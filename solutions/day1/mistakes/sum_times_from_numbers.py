"""sum_times computes with `.data` and wraps the result at the end: the number is right, but a, b
and c cannot be found from it. Use the operators on the Values themselves.
"""
# fails: graphs


def sum_times(a, b, c):
    return Value((a.data + b.data) * c.data)
