"""The class has an `__eq__`, and Python takes the hash away from a class that defines one: its
objects cannot be put into a set. Leave `__eq__` out: two Values are the same only if they are one
object.
"""
# fails: read_back


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data
