"""A number on the left of + never comes to an end: `__radd__` asks the number to do the operation
again, which asks `__radd__` again. Put the Value first: `self`, then the operator, then the other.
"""
# fails: constants subtract


class Value(Value):
    def __radd__(self, other):
        return other + self
