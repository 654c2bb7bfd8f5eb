"""With a number on the left, + does what × does: `__radd__` hands over to the wrong operation."""
# fails: constants subtract


class Value(Value):
    def __radd__(self, other):
        return self * other
