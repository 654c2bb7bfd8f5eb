"""+ returns a plain number. The sum of two Values is a Value too; a number has no children, and the
graph ends there.
"""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self.data + other.data
