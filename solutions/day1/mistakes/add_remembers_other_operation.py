"""The result of + remembers `"*"`. The line was copied from the other operation, and its text
stayed behind.
"""
# fails: add constants subtract graphs


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "*")
