"""Two Values with the same data count as equal, because your class compares and hashes by value
(`__eq__` and `__hash__`, or a dataclass that makes them). In a set such as `_prev` or visited they
become one, and the other is never called. Leave both methods out: then every Value equals itself
alone.
"""
# fails: diamond pytorch_parity


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data

    def __hash__(self):
        return hash(self.data)
