"""Slips of day 1 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "graph_returns_number",
        "graphs",
        "product(a, b, c) is the number 2.25; it must be a Value.",
        {"    d = a * b\n    return d + c\n": "    return (a * b + c).data\n"},
    ),
    (
        "graph_returns_number",
        "graphs",
        "sum_times(a, b, c) is the number -28.875; it must be a Value.",
        {"    e = a + b\n    return e * c\n": "    return ((a + b) * c).data\n"},
    ),
    (
        "graph_returns_number",
        "graphs",
        "neuron(x1, x2, w1, w2, b) is the number 8; it must be a Value.",
        {"return x1 * w1 + x2 * w2 + b": "return (x1 * w1 + x2 * w2 + b).data"},
    ),
    (
        "operator_drops_number",
        "constants",
        "`_prev` of a + 1 holds 1 Value; both a and a leaf for the number should be children.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data + other.data, (self, other), "+")': (
                "        if not isinstance(other, Value):\n"
                '            return Value(self.data + other, (self,), "+")\n'
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
        },
    ),
    (
        "operator_drops_number",
        "constants",
        "`_prev` of a * 3 holds 1 Value; both a and a leaf for the number should be children.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data * other.data, (self, other), "*")': (
                "        if not isinstance(other, Value):\n"
                '            return Value(self.data * other, (self,), "*")\n'
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ),
    (
        "operator_drops_number",
        "constants",
        "`_prev` of a + 1 holds 1 Value; both a and a leaf for the number should be children.",
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        if not isinstance(other, Value):\n"
                '            return Value(self.data + other, (self,), "+")\n'
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        if not isinstance(other, Value):\n"
                '            return Value(self.data * other, (self,), "*")\n'
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ),
    (
        "operator_keeps_left_only",
        "add",
        "`_prev` of a + b should hold a and b; it holds a.",
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self,), "+")',
        },
    ),
    (
        "operator_keeps_left_only",
        "multiply",
        "`_prev` of a * b should hold a and b; it holds a.",
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self,), "*")',
        },
    ),
    (
        "operator_keeps_numbers",
        "add",
        "`_prev` of a + b should hold the Values that it was made from, but it holds the number 2.5.",
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self.data, other.data), "+")',
        },
    ),
    (
        "operator_keeps_numbers",
        "multiply",
        "`_prev` of a * b should hold the Values that it was made from, but it holds the number 2.5.",
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self.data, other.data), "*")',
        },
    ),
    (
        "operator_keeps_right_only",
        "add",
        "`_prev` of a + b should hold a and b; it holds b.",
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (other,), "+")',
        },
    ),
    (
        "operator_keeps_right_only",
        "multiply",
        "`_prev` of a * b should hold a and b; it holds b.",
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (other,), "*")',
        },
    ),
    (
        "number_loses_graph",
        "constants",
        "`_prev` of a + 1 is empty; both a and a leaf for the number should be children.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data + other.data, (self, other), "+")': (
                "        if not isinstance(other, Value):\n"
                "            return Value(self.data + other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
        },
    ),
    (
        "number_loses_graph",
        "constants",
        "`_prev` of a * 3 is empty; both a and a leaf for the number should be children.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        return Value(self.data * other.data, (self, other), "*")': (
                "        if not isinstance(other, Value):\n"
                "            return Value(self.data * other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ),
    (
        "number_loses_graph",
        "constants",
        "`_prev` of a + 1 is empty; both a and a leaf for the number should be children.",
        {
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ): (
                "        if not isinstance(other, Value):\n"
                "            return Value(self.data + other)\n"
                '        return Value(self.data + other.data, (self, other), "+")'
            ),
            (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ): (
                "        if not isinstance(other, Value):\n"
                "            return Value(self.data * other)\n"
                '        return Value(self.data * other.data, (self, other), "*")'
            ),
        },
    ),
    (
        "operator_remembers_the_other",
        "add",
        "(a + b)._op is the text '*', expected the text '+'",
        {
            'return Value(self.data + other.data, (self, other), "+")': 'return Value(self.data + other.data, (self, other), "*")',
        },
    ),
    (
        "operator_remembers_the_other",
        "multiply",
        "(a * b)._op is the text '+', expected the text '*'",
        {
            'return Value(self.data * other.data, (self, other), "*")': 'return Value(self.data * other.data, (self, other), "+")',
        },
    ),
    (
        "reflected_loses_graph",
        "constants",
        "`_prev` of 0.25 + a is empty; both a and a leaf for the number should be children.",
        {"return self.__add__(other)": 'return Value(other + self.data, (), "+")'},
    ),
    (
        "reflected_loses_graph",
        "constants",
        "`_prev` of -0.5 * a is empty; both a and a leaf for the number should be children.",
        {"return self.__mul__(other)": 'return Value(other * self.data, (), "*")'},
    ),
    (
        "reflected_loses_graph",
        "constants",
        "`_prev` of 0.25 + a is empty; both a and a leaf for the number should be children.",
        {
            "return self.__add__(other)": 'return Value(other + self.data, (), "+")',
            "return self.__mul__(other)": 'return Value(other * self.data, (), "*")',
        },
    ),
    (
        "leaves_as_numbers",
        "read_back",
        "`leaves_of` returned the set {2.0}; the Values themselves are asked for.",
        {"        return {root}\n": "        return {root.data}\n"},
    ),
    (
        "children_as_numbers",
        "leaf",
        "`_prev` of Value(7, (a, b), '+') should hold the Values that it was made from, but it holds the number 3.",
        {"tuple(_children)": "tuple(child.data for child in _children)"},
    ),
    (
        "data_as_text",
        "leaf",
        "a.data is the text '2.5', expected the number 2.5",
        {"self.data = data": "self.data = str(data)"},
    ),
    (
        "forgets_children",
        "leaf",
        "`_prev` of Value(7, (a, b), '+') should hold a and b; it is empty.",
        {"tuple(_children)": "()"},
    ),
    (
        "forgets_data",
        "leaf",
        "A new Value has no `data`: set it in `__init__`.",
        {"self.data = data": "data = data"},
    ),
    (
        "forgets_label",
        "leaf",
        "Value(2.5, label='x').label is the text '', expected the text 'x'",
        {"self.label = label": 'self.label = ""'},
    ),
    (
        "forgets_operation",
        "leaf",
        "Value(7, (a, b), '+')._op is the text '', expected the text '+'",
        {"self._op = _op": 'self._op = ""'},
    ),
    (
        "keeps_first_child_only",
        "leaf",
        "`_prev` of Value(7, (a, b), '+') should hold a and b; it holds a.",
        {"tuple(_children)": "tuple(_children)[:1]"},
    ),
    (
        "children_none",
        "leaf",
        "`_prev` of a is None; it must be a set, a tuple or a list.",
        {"tuple(_children)": "tuple(_children) or None"},
    ),
    (
        "repr_rounds",
        "representation",
        "repr(a) is the text 'Value(data=2)', expected with the text '2.5' in it",
        {'return f"Value(data={self.data})"': 'return f"Value(data={int(self.data)})"'},
    ),
    (
        "equal_without_hash",
        "read_back",
        "but no `__hash__`, so its objects cannot be in a set.",
        {
            "    def __repr__(self):\n": (
                "    def __eq__(self, other):\n"
                "        return isinstance(other, Value) and self.data == other.data\n"
                "\n"
                "    def __repr__(self):\n"
            ),
        },
    ),
    (
        "children_copied",
        "leaf",
        "not a and b themselves: they are copies.",
        {"tuple(_children)": "tuple(Value(child.data) for child in _children)"},
    ),
    (
        "children_of_the_class",
        "leaf",
        "`_prev` is kept in the class Value, in ",
        {
            '"""A number that remembers what it was made from."""\n': '"""A number that remembers what it was made from."""\n\n    _prev = []\n',
            "self._prev = tuple(_children)": "self._prev.extend(_children)",
        },
    ),
    (
        "children_shared",
        "add",
        "The default `_children=[]` of `Value.__init__` is made once",
        {
            "data, _children=(), _op": "data, _children=[], _op",
            "self._prev = tuple(_children)": "self._prev = _children",
            'return Value(self.data + other.data, (self, other), "+")': 'out = Value(self.data + other.data, _op="+")\n        out._prev += [self, other]\n        return out',
            'return Value(self.data * other.data, (self, other), "*")': 'out = Value(self.data * other.data, _op="*")\n        out._prev += [self, other]\n        return out',
        },
    ),
    (
        "leaves_keep_earlier_calls",
        "read_back",
        "The default `found=set()` of `leaves_of` is made once",
        {
            "def leaves_of(root):": "def leaves_of(root, found=set()):",
            "    if not root._prev:\n        return {root}\n    found = set()\n    for child in root._prev:\n        found |= leaves_of(child)\n    return found\n": "    if not root._prev:\n        found.add(root)\n    for child in root._prev:\n        leaves_of(child, found)\n    return set(found)\n",
        },
    ),
    (
        "paths_remember_earlier_calls",
        "read_back",
        "The default `seen=set()` of `count_paths` is made once",
        {
            "def count_paths(root, leaf):": "def count_paths(root, leaf, seen=set()):",
            "    if root is leaf:\n        return 1\n    return sum(count_paths(child, leaf) for child in root._prev)\n": "    if root in seen:\n        return 0\n    seen.add(root)\n    if root is leaf:\n        return 1\n    return sum(count_paths(child, leaf) for child in root._prev)\n",
        },
    ),
]
