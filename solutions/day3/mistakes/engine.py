Mistake(
    "value_without_hash",
    "Your Value has an `__eq__` and no `__hash__` (an own one, or that of a dataclass), and Python "
    "then lets no set hold it: unhashable type. `_prev` and visited are sets of nodes. Take `__eq__` "
    "out, or write `@dataclass(eq=False)`.",
    edits={
        "    __radd__ = __add__\n": (
            "    def __eq__(self, other):\n"
            "        return isinstance(other, Value) and self.data == other.data\n"
            "\n"
            "    __radd__ = __add__\n"
        ),
    },
    fails="pytorch_parity",
)
