"""A number on the left of × never comes to an end: `__rmul__` asks the number to do the operation
again, which asks `__rmul__` again. Put the Value first: `self`, then the operator, then the other.
"""
# fails: constants subtract read_back quiz


class Value(Value):
    def __rmul__(self, other):
        return other * self
