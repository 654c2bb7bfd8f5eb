"""With a number on the left, × does what + does: `__rmul__` hands over to the wrong operation."""
# fails: constants subtract quiz


class Value(Value):
    def __rmul__(self, other):
        return self + other
