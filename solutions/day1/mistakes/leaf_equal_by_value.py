"""Values compare and hash by their data, because the class has an `__eq__` (a dataclass makes one
by itself). Two leaves that hold the same number then count as one, in a set above all. Leave
`__eq__` out: two Values are the same only if they are one object.
"""
# fails: read_back


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data

    def __hash__(self):
        return hash(self.data)
