"""In + the right input is wrapped in a new Value even when it is one already. Then a Value holds a
Value as its data, and the child is not the input itself. Wrap only what is not a Value.
"""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = Value(other)
        return Value(self.data + other.data, (self, other), "+")
