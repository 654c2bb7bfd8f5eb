"""Slips of day 5 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "children_in_a_set",
        "local_grads",
        "The `_children` of `a + b` are a set. A set has no order, and it keeps a value that is used twice only once.",
        {"self._children = _children": "self._children = set(_children)"},
    ),
    (
        "local_grads_reversed",
        "local_grads",
        "In a * b your engine keeps a local gradient of a that equals `a.data`. It uses the value of one input where the value of the other belongs. If a grows by 1, the product grows by the value of b.",
        {"self._local_grads = _local_grads": "self._local_grads = tuple(reversed(_local_grads))"},
    ),
    (
        "add_keeps_one_local_grad",
        "local_grads",
        "`a + b` keeps 2 children and 1 local gradient; each child needs one local gradient.",
        {"(self, other), (1.0, 1.0))": "(self, other), (1.0,))"},
    ),
    (
        "add_keeps_one_local_grad",
        "local_grads",
        "`a + b` keeps 2 children and 1 local gradient; each child needs one local gradient.",
        {
            "(self, other), (1.0, 1.0))": "(self, other), (1.0,))",
            "zip(node._children, node._local_grads, strict=True)": "zip(node._children, node._local_grads)",
        },
    ),
    (
        "relu_keeps_0",
        "local_grads",
        "In a.relu() your engine keeps a local gradient of a that equals `0`. The result moves when a moves, so a must get a contribution.",
        {"(self,), (1.0 if self.data > 0 else 0.0,))": "(self,), (0.0,))"},
    ),
    (
        "tanh_squares_the_whole",
        "local_grads",
        "In a.tanh() your engine keeps a local gradient of a that equals `(1 - out.data) ** 2`. Its numbers are right, but they are grouped the wrong way: look at the parentheses.",
        {"(self,), (1 - t**2,))": "(self,), ((1 - t) ** 2,))"},
    ),
    (
        "missing_import_math",
        "local_grads",
        "Write `import math` above that line.",
        {"import math": "pass"},
    ),
    (
        "visited_by_data",
        "build_topo",
        "On the graph c = 3 * a; d = 3 * b; e = c + d with a = 2, b = 2, `build_topo(e)` lists b, d, e: a and c are missing. This happens on a graph in which different nodes hold the same number. Does your code compare numbers instead of nodes?",
        {
            "elif node not in visited:\n            visited.add(node)": (
                "elif node.data not in visited:\n            visited.add(node.data)"
            ),
        },
    ),
    (
        "backward_clears_afterwards",
        "backward",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, your `backward` sets d.grad to 0 after d has handed it on.",
        {
            "            child.grad += local * node.grad\n": (
                "            child.grad += local * node.grad\n"
                "        if node._children:\n"
                "            node.grad = 0.0\n"
            ),
        },
    ),
    (
        "visited_kept_between_calls",
        "build_topo",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, the first call of `build_topo(d)` returns a right list, the second returns an empty list.",
        {
            "def build_topo(root):": "def build_topo(root, visited=set()):",
            "    visited = set()\n": "",
        },
    ),
    (
        "topo_kept_between_calls",
        "build_topo",
        "On the graph b = 1 + a; c = 3 * a; d = c * b with a = 4, `build_topo(d)` also lists nodes from the graph of an earlier call.",
        {
            "def build_topo(root):": "def build_topo(root, topo=[], visited=set()):",
            "    topo = []\n    visited = set()\n": "",
        },
    ),
    (
        "topo_kept_between_calls",
        "build_topo",
        "On the graph b = a + 1; c = a * 3; d = b * c with a = 4, the first call of `build_topo(d)` returns a right list, the second returns a, c, b, d, a, c, b, d.",
        {
            "def build_topo(root):": "def build_topo(root, topo=[]):",
            "    topo = []\n": "",
        },
    ),
    (
        "meaning_size_first",
        "meaning",
        "The first of the pair is a word: 'rises', 'falls' or 'stays'.",
        {
            'return "stays", 0.0': 'return 0.0, "stays"',
            'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return abs(gradient), ("rises" if gradient > 0 else "falls")',
        },
    ),
    (
        "meaning_size_with_sign",
        "meaning",
        "the size of meaning(-3) is -3, expected 3",
        {
            'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return ("rises" if gradient > 0 else "falls"), gradient',
        },
    ),
    (
        "meaning_small_stays",
        "meaning",
        "the word of meaning(-0.75) is the text 'stays', expected the text 'falls'",
        {
            '    if gradient == 0:\n        return "stays", 0.0\n': (
                '    if abs(gradient) < 1:\n        return "stays", abs(gradient)\n'
            ),
        },
    ),
    (
        "meaning_zero_falls",
        "meaning",
        "the word of meaning(0) is the text 'falls', expected the text 'stays'",
        {'    if gradient == 0:\n        return "stays", 0.0\n': ""},
    ),
    (
        "meaning_zero_rises",
        "meaning",
        "the word of meaning(0) is the text 'rises', expected the text 'stays'",
        {
            '    if gradient == 0:\n        return "stays", 0.0\n': "",
            'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return ("rises" if gradient >= 0 else "falls"), abs(gradient)',
        },
    ),
]
