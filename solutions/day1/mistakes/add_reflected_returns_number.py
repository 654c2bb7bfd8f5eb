"""With a number on the left, + returns a plain number. `__radd__` should return a Value as
`__add__` does; the shortest way is to let `__add__` do the work.
"""
# fails: constants subtract


class Value(Value):
    def __radd__(self, other):
        return other + self.data
