Mistake(
    "minus_changes_sign_in_place",
    "a - b changes the data of b: after it, b holds the opposite number. An operation leaves its "
    "inputs as they are.",
    edits={
        "return self + (-1) * other": (
            "other = other if isinstance(other, Value) else Value(other)\n"
            "    other.data = -other.data\n"
            "    return self + other"
        ),
    },
    fails="subtract",
)

Mistake(
    "minus_cuts_right_side",
    "What is taken away is replaced by a new Value with the opposite number, so it cannot be found "
    "from the result. Multiply the Value itself by -1.",
    edits=[
        {
            "return self + (-1) * other": "return self + Value(-(other.data if isinstance(other, Value) else other))",
        },
        {"return other + (-1) * self": "return Value(other) + Value(-self.data)"},
    ],
    fails="subtract",
)

Mistake(
    "minus_makes_a_leaf",
    "a - b returns a new Value without children: neither a nor b can be found from it. Use + and × on "
    "the Values themselves.",
    edits={
        "return self + (-1) * other": "return Value(self.data - (other.data if isinstance(other, Value) else other))",
    },
    fails="subtract",
)

Mistake(
    "minus_makes_own_node",
    'The subtraction makes a node of its own, with `"-"` as its operation. The number is right, but '
    "tomorrow this node would need a rule of its own for the way back. Build it from + and ×: a + "
    "(-1)·b.",
    edits=[
        {
            "return self + (-1) * other": (
                "other = other if isinstance(other, Value) else Value(other)\n"
                '    return Value(self.data - other.data, (self, other), "-")'
            ),
        },
        {
            "return other + (-1) * self": (
                "other = other if isinstance(other, Value) else Value(other)\n"
                '    return Value(other.data - self.data, (other, self), "-")'
            ),
        },
    ],
    fails="subtract",
)

Mistake(
    "minus_needs_a_value",
    "a - 1 fails: `minus` asks what stands on the right for something that a plain number does not "
    "have. A line that needs a Value there has to make one first; + and × take a number as it is.",
    edits={
        "return self + (-1) * other": (
            'opposite = other * -1\n    opposite.label = "-" + other.label\n    return self + opposite'
        ),
    },
    fails="subtract",
)

Mistake(
    "minus_returns_number",
    "The subtraction returns a plain number. Work with the Values, not with their data; then the "
    "result is a Value by itself.",
    edits=[
        {
            "return self + (-1) * other": "return self.data - (other.data if isinstance(other, Value) else other)",
        },
        {"return other + (-1) * self": "return other - self.data"},
    ],
    fails="subtract",
)

Mistake(
    "negative_changes_sign_in_place",
    "-a changes a itself: afterwards a holds the opposite number. An operation leaves its input as it "
    "is and makes a new Value.",
    edits={"return self * -1": "self.data = -self.data\n    return self"},
    fails="subtract",
)

Mistake(
    "negative_makes_a_leaf",
    "-a returns a new Value without children, so a cannot be found from it. Multiply a itself by -1.",
    edits=[
        {"return self * -1": "return Value(-self.data)"},
        {
            "return self * -1": "return Value(-self.data)",
            "return other + (-1) * self": "return negative(self) + other",
        },
        {
            "return self * -1": "return Value(-self.data)",
            "return self + (-1) * other": "return self + -other",
            "return other + (-1) * self": "return negative(self) + other",
        },
    ],
    fails="subtract",
)

Mistake(
    "negative_makes_own_node",
    "-a makes a node with an operation of its own. Multiply by -1 instead: × is there already, and "
    "has its rule tomorrow.",
    edits={"return self * -1": 'return Value(-self.data, (self,), "neg")'},
    fails="subtract",
)

Mistake(
    "negative_returns_nothing",
    "-a is None: `negative` computes its result and does not return it.",
    edits={"return self * -1": "result = self * -1"},
    fails="subtract",
)

Mistake(
    "negative_returns_number",
    "-a returns a plain number. Multiply the Value by -1; its data alone is not in the graph.",
    edits={"return self * -1": "return -self.data"},
    fails="subtract",
)

Mistake(
    "reflected_minus_missing",
    "5 - a fails: the number knows nothing of your class, and Python finds no `__rsub__` to ask instead.",
    edits={"Value.__rsub__ = reflected_minus": "Value.rsub = reflected_minus"},
    fails="subtract",
)

Mistake(
    "subtraction_recurses",
    "The subtraction calls itself without end: `self - other` asks `minus` again, and with a number on "
    "the left `other - self` asks `reflected_minus` again. Build both from + and ×.",
    edits=[
        {"return other + (-1) * self": "return other - self"},
        {"return self + (-1) * other": "return self - other"},
        {
            "return self + (-1) * other": "return self - other",
            "return other + (-1) * self": "return other - self",
        },
    ],
    fails="subtract",
)
