Mistake(
    "children_in_a_pair",
    "`_prev` has the container of the children as its only item, as if it were one child. "
    "`tuple(_children)` takes the children out of it; `(_children,)`, `[_children]` and `{_children}` "
    "wrap it once more.",
    edits=[
        {"tuple(_children)": "(_children,) if _children else ()"},
        {"tuple(_children)": "(_children,)"},
        {"tuple(_children)": "[_children]"},
        {"tuple(_children)": "{_children}"},
    ],
    fails="leaf add multiply constants subtract graphs read_back",
)

Mistake(
    "equal_by_value",
    "Two leaves that hold the same number count as one. Two Values are the same only if they are one object: an "
    "`__eq__` of the class compares what it wants (a dataclass makes one by itself), and so does what is looked up "
    "by its data.",
    edits={
        "    def __repr__(self):\n": (
            "    def __eq__(self, other):\n"
            "        return isinstance(other, Value) and self.data == other.data\n"
            "\n"
            "    def __hash__(self):\n"
            "        return hash(self.data)\n"
            "\n"
            "    def __repr__(self):\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "children_under_another_name",
    "The children are kept under another name than `_prev`. The later days look for them under this name.",
    edits={"self._prev = tuple": "self.parents = tuple"},
    fails="leaf add multiply constants subtract graphs read_back",
)

Mistake(
    "operation_and_label_exchanged",
    "The operation is kept as the label and the label as the operation. The third thing that the "
    "constructor is given is `_op`, the fourth is `label`.",
    edits={
        "self._op = _op": "self._op = label",
        "self.label = label": "self.label = _op",
    },
    fails="leaf add multiply constants subtract graphs",
)

Mistake(
    "operation_under_another_name",
    "The operation is kept under another name than `_op`. The later days look for it under this name.",
    edits={"self._op = _op": "self.sign = _op"},
    fails="leaf add multiply constants subtract graphs",
)

Mistake(
    "rounds_data",
    "The constructor turns the data into an int, so what stands behind the point is lost. Keep the "
    "number as it comes.",
    edits={"self.data = data": "self.data = int(data)"},
    fails="leaf representation add multiply constants subtract graphs",
)

Mistake(
    "repr_missing",
    "There is no `__repr__`, or it has another name, so Python shows where the object lies in memory. "
    "The name has two underscores on either side.",
    edits={"def __repr__(": "def repr("},
    fails="representation",
)

Mistake(
    "repr_prints",
    "`__repr__` prints a text and returns nothing. Python expects the text back, so it has to be returned.",
    edits={'return f"Value(data={self.data})"': 'print(f"Value(data={self.data})")'},
    fails="representation",
)

Mistake(
    "repr_returns_number",
    "`__repr__` returns the number itself. Python expects a text; an f-string or `str` makes one of a "
    "number.",
    edits={'return f"Value(data={self.data})"': "return self.data"},
    fails="representation",
)

Mistake(
    "repr_shows_label",
    "`__repr__` shows the label instead of the data. The label is a name for people and may be empty; "
    "the data is what has to be seen.",
    edits={'return f"Value(data={self.data})"': 'return f"Value({self.label})"'},
    fails="representation",
)

Mistake(
    "repr_without_data",
    "The text that `__repr__` returns holds the words but not the number: a name in braces is "
    "replaced only in an f-string, that is, with an f before the quotes.",
    edits={'return f"Value(data={self.data})"': 'return "Value(data={self.data})"'},
    fails="representation",
)
