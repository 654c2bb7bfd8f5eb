"""A number on the left of + fails: the number knows nothing of your class, and Python finds no
`__radd__` to ask instead. `sum` needs it too, for it begins with 0.
"""
# fails: constants subtract


class Value(Value):
    def __radd__(self, other):
        return NotImplemented
