"""With a number on the left, × returns the Value as it is: the number is ignored."""
# fails: constants subtract quiz


class Value(Value):
    def __rmul__(self, other):
        return self
