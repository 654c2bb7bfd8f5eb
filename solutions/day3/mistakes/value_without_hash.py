"""Your Value has an `__eq__` and no `__hash__` (an own one, or that of a dataclass), and Python
then lets no set hold it: unhashable type. `_prev` and visited are sets of nodes. Take `__eq__`
out, or write `@dataclass(eq=False)`.
"""
# fails: diamond shared_nodes accumulates pytorch_parity quiz


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data
