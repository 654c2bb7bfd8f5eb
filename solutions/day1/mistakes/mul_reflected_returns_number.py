"""With a number on the left, × returns a plain number. `__rmul__` should return a Value as
`__mul__` does; the shortest way is to let `__mul__` do the work.
"""
# fails: constants subtract read_back quiz


class Value(Value):
    def __rmul__(self, other):
        return other * self.data
