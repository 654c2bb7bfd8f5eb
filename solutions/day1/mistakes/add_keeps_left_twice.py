"""The result of + has its left input as a child two times and the right one not at all: `(self,
self)` for `(self, other)`.
"""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, self), "+")
