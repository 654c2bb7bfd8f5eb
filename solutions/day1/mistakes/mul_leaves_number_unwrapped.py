"""In × a plain number on the right is not turned into a Value first, so it has no `.data`. The line
that wraps it belongs before anything else in the method.
"""
# fails: constants subtract read_back quiz


class Value(Value):
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
