"""With a number on the left, + takes the Value twice and leaves the number out: `self + self` for
`self + other`.
"""
# fails: constants subtract


class Value(Value):
    def __radd__(self, other):
        return self + self
