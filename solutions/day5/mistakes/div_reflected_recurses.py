"""A number on the left of / never comes to an end: `__rtruediv__` asks the number to do the
operation again, which asks `__rtruediv__` again. The number has to become a Value first.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __rtruediv__(self, other):
        return other / self
