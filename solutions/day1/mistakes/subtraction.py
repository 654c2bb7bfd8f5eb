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
    "minus_without_data",
    "In a - b, `b` is a Value, and `self.data - other` takes the whole Value from a number: its number is "
    "`other.data`. But + and × are there already: a + (-1)·b needs no numbers at all.",
    edits=[
        {"return self + (-1) * other": 'return Value(self.data - other, (self, other), "-")'},
        {"return self + (-1) * other": "return Value(self.data - other)"},
    ],
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
    "subtraction_recurses",
    "The subtraction calls itself without end: `self - other` asks `minus` again. Build it from + and ×.",
    edits=[
        {"return self + (-1) * other": "return self - other"},
        {
            "return self + (-1) * other": "return self - other",
            "return other + (-1) * self": "return other - self",
        },
    ],
    fails="subtract",
)
