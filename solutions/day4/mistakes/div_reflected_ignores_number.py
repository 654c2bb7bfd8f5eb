"""`3 / a` gives `1 / a`: `__rtruediv__` returns self ** -1 and leaves out the number. It is the
dividend, so it has to be multiplied in.
"""
# fails: divide


class Value(Value):
    def __rtruediv__(self, other):
        return self**-1
