"""A number on the left of × fails: the number knows nothing of your class, and Python finds no
`__rmul__` to ask instead.
"""
# fails: constants subtract read_back quiz


class Value(Value):
    def __rmul__(self, other):
        return NotImplemented
