Mistake(
    "value_without_children",
    "The result of one of your operations does not know what it was made from: its `_prev` is empty, "
    "so build_topo stops there, and the walk never comes to the nodes below. Hand the inputs to the "
    "constructor, as its second argument.",
    edits=[
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        out = Value(self.data + other.data, (self, other), "+")': (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                "        out = Value(self.data + other.data)"
            ),
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        out = Value(self.data * other.data, (self, other), "*")': (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                "        out = Value(self.data * other.data)"
            ),
        },
        {'        out = Value(t, (self,), "tanh")': "        out = Value(t)"},
    ],
    fails="pytorch_parity",
)

Mistake(
    "value_equal_by_value",
    "Two Values with the same data count as equal, because your class compares and hashes by value "
    "(`__eq__` and `__hash__`, or a dataclass that makes them). In a set such as `_prev` or visited "
    "they become one, and the other is never called. Leave both methods out: then every Value equals "
    "itself alone.",
    edits={
        "    __radd__ = __add__\n": (
            "    def __eq__(self, other):\n"
            "        return isinstance(other, Value) and self.data == other.data\n"
            "\n"
            "    def __hash__(self):\n"
            "        return hash(self.data)\n"
            "\n"
            "    __radd__ = __add__\n"
        ),
    },
    fails="pytorch_parity",
)

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

Mistake(
    "missing_import_math",
    "`math` is used in tanh, but it is not imported: paste `import math` together with your Value, or "
    "write it into a cell above.",
    edits={"Value.backward = backward": "Value.backward = backward\ndel math"},
    fails="pytorch_parity",
)
