"""+ with a plain number computes the right data, but the number is no child of the result. It
should become a leaf of the graph like any other.
"""
# fails: constants read_back quiz


class Value(Value):
    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, (self,), "+")
        return Value(self.data + other.data, (self, other), "+")
