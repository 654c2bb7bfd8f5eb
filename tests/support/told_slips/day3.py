"""Slips of day 3 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "value_without_children",
        "pytorch_parity",
        "On the graph c = a * b; d = c + a; e = d * b with a = -1.5, b = 2.5, your `backward` never calls c._backward: c is not in d._prev.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        out = Value(self.data + other.data, (self, other), "+")': (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                "        out = Value(self.data + other.data)"
            ),
        },
    ),
    (
        "value_without_children",
        "pytorch_parity",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` never calls c._backward and b._backward: c is not in d._prev.",
        {
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        out = Value(self.data * other.data, (self, other), "*")': (
                "        other = other if isinstance(other, Value) else Value(other)\n"
                "        out = Value(self.data * other.data)"
            ),
        },
    ),
    (
        "value_without_children",
        "pytorch_parity",
        "The result of a.tanh() does not keep its inputs, so a walk from the result stops there.",
        {'        out = Value(t, (self,), "tanh")': "        out = Value(t)"},
    ),
    (
        "value_equal_by_value",
        "pytorch_parity",
        "On the graph c = 3 * a; d = 3 * b; e = c + d with a = 2, b = 2, your `backward` never calls d._backward: d is not in e._prev. This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
        {
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
    ),
    (
        "missing_import_math",
        "pytorch_parity",
        "Write `import math` above that line.",
        {"Value.backward = backward": "Value.backward = backward\ndel math"},
    ),
    (
        "topo_keeps_both",
        "build_topo",
        "On the graph b = 1 + a; c = 3 * a; d = c * b with a = 4, `build_topo(d)` also lists nodes from the graph of an earlier call.",
        {
            "def build_topo(root):": ("order = []\nvisited = set()\n\n\ndef build_topo(root):"),
            "    order = []\n    visited = set()\n": "",
        },
    ),
    (
        "topo_keeps_list",
        "build_topo",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, the first call of `build_topo(d)` returns a right list, the second returns a, c, b, d, a, c, b, d.",
        {
            "def build_topo(root):": "def build_topo(root, order=[]):",
            "    order = []\n    visited = set()\n": "    visited = set()\n",
        },
    ),
    (
        "topo_keeps_visited",
        "build_topo",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, the first call of `build_topo(d)` returns a right list, the second returns an empty list.",
        {
            "def build_topo(root):": "def build_topo(root, visited=set()):",
            "    order = []\n    visited = set()\n": "    order = []\n",
        },
    ),
    (
        "topo_empties_the_graph",
        "build_topo",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, the first call of `build_topo(d)` returns a right list, the second returns d.",
        {
            "            stack.extend((child, False) for child in node._prev)\n": (
                "            while node._prev:\n                stack.append((node._prev.pop(), False))\n"
            ),
        },
    ),
    (
        "seed_is_a_value",
        "seed",
        "b.grad became a Value; it must be a number. Did you write `Value(1.0)` where `1.0` belongs?",
        {"    root.grad = 1.0\n": "    root.grad = Value(1.0)\n"},
    ),
    (
        "seed_is_added",
        "seed",
        "b.grad is 6, expected 1",
        {"    root.grad = 1.0\n": "    root.grad += 1.0\n"},
    ),
    (
        "topo_visited_by_value",
        "build_topo",
        "On the graph c = 3 * a; d = 3 * b; e = c + d with a = 2, b = 2, `build_topo(e)` lists b, d, e: a and c are missing. This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
        {
            "elif node not in visited:\n            visited.add(node)\n": (
                "elif node.data not in visited:\n            visited.add(node.data)\n"
            ),
        },
    ),
    (
        "backward_clears_afterwards",
        "seed",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` sets b.grad to 0 after b has handed it on.",
        {
            "    for node in reversed(build_topo(root)):\n        node._backward()\n": (
                "    for node in reversed(build_topo(root)):\n"
                "        node._backward()\n"
                "        if node is not root:\n"
                "            node.grad = 0.0\n"
            ),
        },
    ),
    (
        "backward_clears_first",
        "accumulates",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, a.grad is 10 before the walk, but your `backward` sets a.grad to 0 before any contribution arrives. Contributions must be added to what a.grad already holds.",
        {
            "    root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node._backward()\n": (
                "    for node in build_topo(root):\n"
                "        node.grad = 0.0\n"
                "    root.grad = 1.0\n"
                "    for node in reversed(build_topo(root)):\n"
                "        node._backward()\n"
            ),
        },
    ),
    (
        "method_misspelt",
        "pytorch_parity",
        "A Value has `backwards`, but no `backward`.",
        {"Value.backward = backward": "Value.backwards = backward"},
    ),
    (
        "method_in_a_lambda",
        "pytorch_parity",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` calls no `_backward`: no gradient below d changes.",
        {"Value.backward = backward": "Value.backward = lambda self: backward"},
    ),
    (
        "value_without_hash",
        "pytorch_parity",
        "but no `__hash__`, so its objects cannot be in a set.",
        {
            "    __radd__ = __add__\n": (
                "    def __eq__(self, other):\n"
                "        return isinstance(other, Value) and self.data == other.data\n"
                "\n"
                "    __radd__ = __add__\n"
            ),
        },
    ),
]
