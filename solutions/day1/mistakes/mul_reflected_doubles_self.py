"""With a number on the left, × takes the Value twice and leaves the number out: `self * self` for
`self * other`.
"""
# fails: constants subtract read_back quiz


class Value(Value):
    def __rmul__(self, other):
        return self * self
