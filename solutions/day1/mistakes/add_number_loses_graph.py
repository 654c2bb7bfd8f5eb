"""+ with a plain number returns a Value without children. A number on one side is no reason to
forget the other side.
"""
# fails: constants subtract quiz


class Value(Value):
    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other)
        return Value(self.data + other.data, (self, other), "+")
