Mistake(
    "operator_forgets_children",
    "The result has no children. The constructor takes them as its second argument: a tuple of `self` "
    "and `other`.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (), "+")',
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (), "*")',
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_forgets_operation",
    "The result does not remember its operation. The constructor takes it as its third argument, a "
    "text of one character.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': "return Value(self.data + other.data, (self, other))",
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': "return Value(self.data * other.data, (self, other))",
        },
    ],
    fails="add multiply constants subtract graphs",
)

Mistake(
    "operator_keeps_copies",
    "The children of the result are new Values with the same numbers. They are other objects than the "
    "inputs, and have no children themselves, so the graph ends there.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (Value(self.data), Value(other.data)), "+")',
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (Value(self.data), Value(other.data)), "*")',
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_keeps_left_twice",
    "The result has its left input as a child two times and the right one not at all: `(self, self)` "
    "for `(self, other)`.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self, self), "+")',
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self, self), "*")',
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_makes_a_leaf",
    "The operator hands only the number to the constructor, so the result is a leaf: it knows neither "
    "what it was made from nor by which operation.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': "return Value(self.data + other.data)",
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': "return Value(self.data * other.data)",
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_notes_in_input",
    "The operator notes children and operation in its left input instead of in the result: a leaf "
    "then looks as if it had been computed. They belong to the new Value.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': (
                "out = Value(self.data + other.data)\n"
                '        self._prev, self._op = (self, other), "+"\n'
                "        return out"
            ),
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': (
                "out = Value(self.data * other.data)\n"
                '        self._prev, self._op = (self, other), "*"\n'
                "        return out"
            ),
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_wraps_everything",
    "The right input is wrapped in a new Value even when it is one already. Then a Value holds a "
    "Value as its data, and the child is not the input itself. Wrap only what is not a Value.",
    edits=[
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data + other.data, (self, other), "+")': (
                "        other = Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
        },
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data * other.data, (self, other), "*")': (
                "        other = Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_rounds",
    "The operator turns the result into an int, so what stands behind the point is lost. Numbers may"
    " be fractions: compute with them as they are.",
    edits=[
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(int(self.data + other.data), (self, other), "+")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(int(self.data * other.data), (self, other), "*")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(int(self.data + other.data), (self, other), "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(int(self.data * other.data), (self, other), "*")'
            ),
        },
    ],
    fails="add multiply constants subtract graphs",
)

Mistake(
    "operator_wraps_values_only",
    "The line that makes a Value of `other` does so when `other` is a Value already, and leaves "
    "plain numbers as they are. It has to be the other way round.",
    edits=[
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = Value(other) if isinstance(other, Value) else other\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = Value(other) if isinstance(other, Value) else other\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = Value(other) if isinstance(other, Value) else other\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = Value(other) if isinstance(other, Value) else other\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "operator_spreads_children",
    "The two children are handed to the constructor as two arguments, so it takes the first as all "
    "of `_children` and the second as `_op`. Both belong into one tuple: parentheses around the two.",
    edits=[
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, self, other, "+")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, self, other, "*")'
            ),
        },
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, self, other, "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, self, other, "*")'
            ),
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)

Mistake(
    "reflected_skips_zero",
    "0 + a returns a itself. The result of an operation is a new Value, and a 0 is a child like any "
    "other number.",
    edits={
        "return self.__add__(other)": "return self if other == 0 else self.__add__(other)",
    },
    fails="constants",
)

Mistake(
    "operator_forgets_data",
    "The operator computes with `other` where `other.data` belongs: a number meets a Value. Both "
    "sides of the sum or product inside of the method are numbers.",
    edits=[
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other, (self, other), "+")',
        },
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other, (self, other), "*")',
        },
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other, (self, other), "+")',
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other, (self, other), "*")',
        },
    ],
    fails="add multiply constants subtract graphs read_back",
)
