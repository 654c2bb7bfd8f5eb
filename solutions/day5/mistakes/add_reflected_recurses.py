"""A number on the left of + never comes to an end: `__radd__` asks the number to do the operation
again, which asks `__radd__` again. It should begin with the Value: self + other.
"""
# fails: local_grads add_multiply shared_nodes agreement


class Value(Value):
    def __radd__(self, other):
        return other + self
